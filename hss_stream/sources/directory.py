"""Records out of a folder: every file below it, in the order of their paths.

Names that begin with a dot and `labels.jsonl` are passed over. What a file is, its first bytes tell;
one that is neither page, message nor text is reported.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from hss_stream.errors import SourceError
from hss_stream.sources.compressed import OversizedError, read_limited, unpack_layers
from hss_stream.sources.record import (
    MAX_BODY_BYTES,
    Kind,
    OnProblem,
    SourceProblem,
    SourceRecord,
    file_domain,
)
from hss_stream.sources.sniff import sniff_kind

LABELS_NAME = "labels.jsonl"


def read_directory(path: Path, kind: Kind | None, on_problem: OnProblem) -> Iterator[SourceRecord]:
    """Yield a record for every file below a folder, sorted by path."""
    for file in walk_files(path, on_problem):
        record = read_file(file, url_path(file.relative_to(path)), kind, on_problem)
        if record is not None:
            yield record


def read_single(path: Path, kind: Kind | None, on_problem: OnProblem) -> Iterator[SourceRecord]:
    """Yield the one record of a file that is no container."""
    record = read_file(path, url_path(Path(path.name)), kind, on_problem)
    if record is not None:
        yield record


def url_path(path: Path) -> str:
    """Return a relative path as it stands in a URL; bytes that are no UTF-8 are replaced."""
    return os.fsencode(path.as_posix()).decode("utf-8", "replace")


def walk_files(folder: Path, on_problem: OnProblem) -> Iterator[Path]:
    """Yield the regular files below a folder, each folder's names sorted, one folder in memory at a time."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        on_problem(SourceProblem(str(folder), "", "unreadable", f"listing the folder: {error.strerror}"))
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name == LABELS_NAME:
            continue
        # Links to folders are not followed: they could lead in circles.
        if entry.is_dir(follow_symlinks=False):
            yield from walk_files(Path(entry.path), on_problem)
        elif entry.is_file():
            yield Path(entry.path)


def read_file(path: Path, name: str, kind: Kind | None, on_problem: OnProblem) -> SourceRecord | None:
    """Return the record of a file under the URL `file:///name`; None and a problem when it has none."""
    url = f"file:///{name}"
    try:
        with path.open("rb") as file:
            body = unpack_layers(read_limited(file, MAX_BODY_BYTES), MAX_BODY_BYTES)
    except OversizedError as error:
        on_problem(SourceProblem(str(path), "", "oversized", str(error)))
        return None
    except (OSError, SourceError) as error:
        on_problem(SourceProblem(str(path), "", "unreadable", f"reading the file: {error}"))
        return None
    found = kind or sniff_kind(body)
    if found is None:
        detail = "neither HTML, mail nor text by its first bytes; --as takes it anyway"
        on_problem(SourceProblem(str(path), "", "not_a_page", detail))
        return None
    return SourceRecord(url=url, body=body, kind=found, domain=file_domain(url))
