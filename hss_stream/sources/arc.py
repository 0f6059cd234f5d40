"""Pages out of ARC files (version 1), the format before WARC.

A record is one line `URL IP-address YYYYMMDDhhmmss content-type length`, that many bytes, a line feed.
The first record, `filedesc:`, describes the file. Compressed files have a gzip member a record; they are
read as one stream.
"""

import io
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from hss_stream.sources.archive_page import page_of_exchange
from hss_stream.sources.compressed import open_plain, stream_failure
from hss_stream.sources.record import MAX_BODY_BYTES, Kind, OnProblem, SourceProblem, SourceRecord

MAX_HEADER_BYTES = 64 * 1024
_SKIPPED_BYTES = 1024 * 1024


def read_arc(path: Path, kind: Kind | None, on_problem: OnProblem) -> Iterator[SourceRecord]:
    """Yield the HTML responses of an ARC file, compressed or not, in order."""
    del kind
    with open_plain(path) as stream:
        yield from _records(str(path), stream, on_problem)
        failure = stream_failure(stream)
        if failure is not None:
            on_problem(SourceProblem(str(path), "", *failure))


def _records(source: str, stream: io.BufferedReader, on_problem: OnProblem) -> Iterator[SourceRecord]:
    """Yield the pages of an open ARC stream."""
    while line := stream.readline(MAX_HEADER_BYTES):
        if not line.strip():
            continue
        fields = line.split()
        if stream_failure(stream) is not None and not line.endswith(b"\n"):
            return
        if len(fields) < 5 or not fields[-1].isdigit() or not line.endswith(b"\n"):
            detail = "this line is no record header, so the rest of the file cannot be read"
            on_problem(SourceProblem(source, repr(line[:60]), "unreadable", detail))
            return
        url, length = fields[0].decode("utf-8", "replace"), int(fields[-1])
        if length > MAX_BODY_BYTES or not url.lower().startswith(("http:", "https:")):
            if length > MAX_BODY_BYTES:
                detail = f"a record of {length} bytes is larger than {MAX_BODY_BYTES}"
                on_problem(SourceProblem(source, url, "oversized", detail))
            _skip(stream, length)
            continue
        block = stream.read(length)
        if len(block) < length:
            if stream_failure(stream) is None:
                detail = f"the file ends after {len(block)} of {length} bytes of this record"
                on_problem(SourceProblem(source, url, "truncated", detail))
            return
        page = page_of_exchange(source, url, block, _date(fields[-3]), on_problem)
        if page is not None:
            yield page


def _skip(stream: io.BufferedReader, length: int) -> None:
    """Read over `length` bytes."""
    while length > 0 and (chunk := stream.read(min(length, _SKIPPED_BYTES))):
        length -= len(chunk)


def _date(digits: bytes) -> datetime | None:
    """Return the time of 14 digits, or None."""
    try:
        return datetime.strptime(digits.decode("ascii"), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
