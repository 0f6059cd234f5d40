"""One file as the commands `score`, `compare` and `similar` take it; `-` is standard input."""

import sys
from pathlib import Path

from hss_stream.errors import SourceError
from hss_stream.sources.compressed import read_limited, unpack_layers
from hss_stream.sources.record import MAX_BODY_BYTES, Kind
from hss_stream.sources.sniff import sniff_kind


def read_one(name: str, kind: Kind | None) -> tuple[bytes, Kind]:
    """Return the body of a file, unpacked, and its kind; SourceError when it cannot be read."""
    try:
        if name == "-":
            body = read_limited(sys.stdin.buffer, MAX_BODY_BYTES)
        else:
            with Path(name).open("rb") as file:
                body = read_limited(file, MAX_BODY_BYTES)
    except OSError as error:
        raise SourceError(f"reading {name}: {error.strerror}") from error
    body = unpack_layers(body, MAX_BODY_BYTES)
    if not body:
        raise SourceError(f"reading {name}: it is empty")
    if kind is None and body.startswith((b"WARC/", b"filedesc:")):
        raise SourceError(f"reading {name}: an archive of many pages; `replay` and `similar` read those")
    found = kind or sniff_kind(body)
    if found is None:
        raise SourceError(f"reading {name}: neither HTML, mail nor text by its first bytes; say --as page")
    return body, found
