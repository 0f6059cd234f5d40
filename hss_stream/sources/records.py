"""Open any source: a folder, an archive, a JSONL file, standard input, or a single file.

The table below is the one place where a kind of file meets its reader. A reader takes the path, the
kind the user insists on (or None) and the callback for problems, and yields records lazily.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from hss_stream.errors import SourceError
from hss_stream.sources.arc import read_arc
from hss_stream.sources.directory import read_directory, read_single
from hss_stream.sources.jsonl import STANDARD_INPUT, read_jsonl
from hss_stream.sources.mbox import read_eml, read_mbox
from hss_stream.sources.record import (
    KINDS,
    Kind,
    OnProblem,
    ProblemCount,
    Reader,
    SourceProblem,
    SourceRecord,
)
from hss_stream.sources.warc import read_warc

__all__ = [
    "KINDS", "Kind", "OnProblem", "ProblemCount", "SourceProblem", "SourceRecord",
    "open_source", "open_sources"
]  # fmt: skip

# Endings of lower-case names. A file with none of them is a single record.
READERS: tuple[tuple[str, Reader], ...] = (
    (".warc", read_warc),
    (".warc.gz", read_warc),
    (".arc", read_arc),
    (".arc.gz", read_arc),
    (".jsonl", read_jsonl),
    (".jsonl.gz", read_jsonl),
    (".jsonl.zst", read_jsonl),
    (".mbox", read_mbox),
    (".mbox.gz", read_mbox),
    (".eml", read_eml),
)


def open_source(
    path: str | Path, *, kind: Kind | None = None, on_problem: OnProblem | None = None
) -> Iterator[SourceRecord]:
    """Return the records of a source, one at a time, in a fixed order.

    A path that does not exist or may not be read raises SourceError at once. Everything that is wrong
    inside is handed to `on_problem`, and reading goes on.
    """
    report = on_problem or ProblemCount()
    if str(path) == "-":
        return read_jsonl(STANDARD_INPUT, kind, report)
    where = Path(path)
    if where.is_dir():
        return read_directory(where, kind, report)
    try:
        with where.open("rb"):
            pass
    except OSError as error:
        raise SourceError(f"opening {path}: {error.strerror}") from error
    name = where.name.lower()
    reader = next((reader for ending, reader in READERS if name.endswith(ending)), read_single)
    return reader(where, kind, report)


def open_sources(
    paths: Iterable[str | Path], *, kind: Kind | None = None, on_problem: OnProblem | None = None
) -> Iterator[SourceRecord]:
    """Return the records of several sources, one after the other; all of them have to exist."""
    sources = [open_source(path, kind=kind, on_problem=on_problem) for path in paths]
    return (record for source in sources for record in source)
