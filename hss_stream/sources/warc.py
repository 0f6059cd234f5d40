"""Pages out of WARC files, read with fastwarc: one record in memory at a time.

A cut file gives its whole records and a problem. A broken record is reported too, and reading goes on
at the next place that looks like the start of a record.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from fastwarc.warc import ArchiveIterator, WarcRecordType

from hss_stream.sources.archive_page import page_of_exchange
from hss_stream.sources.compressed import GZIP_MAGIC
from hss_stream.sources.record import MAX_BODY_BYTES, Kind, OnProblem, SourceProblem, SourceRecord

_RECORD_START = re.compile(re.escape(GZIP_MAGIC) + rb"|(?<=\n)WARC/\d")
_SCANNED_BYTES = 1024 * 1024


def read_warc(path: Path, kind: Kind | None, on_problem: OnProblem) -> Iterator[SourceRecord]:
    """Yield the HTML responses of a WARC file, compressed or not, in order."""
    del kind
    source = str(path)
    start: int | None = 0
    with path.open("rb") as file:
        while start is not None:
            file.seek(start)
            reached, start = start, None
            try:
                origin = reached
                for record in ArchiveIterator(file, parse_http=False):
                    reached = max(reached, origin + record.stream_pos)
                    page = _page(source, record, on_problem)
                    if page is not None:
                        yield page
            except OSError as error:
                on_problem(SourceProblem(source, f"byte {reached}", "unreadable", f"reading WARC: {error}"))
                start = _next_start(file, reached + 1)


def _page(source: str, record: Any, on_problem: OnProblem) -> SourceRecord | None:
    """Return the page in a record, or None; a record that is cut or too large is reported."""
    url = (record.headers.get("WARC-Target-URI") or "").strip("<> ")
    declared = record.content_length
    is_response = record.record_type == WarcRecordType.response and url
    if (not is_response or declared > MAX_BODY_BYTES) and _read_over(record) < declared:
        detail = f"the file ends within a record of {declared} bytes"
        on_problem(SourceProblem(source, url, "truncated", detail))
        return None
    if not is_response:
        return None
    if declared > MAX_BODY_BYTES:
        detail = f"a record of {declared} bytes is larger than {MAX_BODY_BYTES}"
        on_problem(SourceProblem(source, url, "oversized", detail))
        return None
    block = record.reader.read(declared)
    if len(block) < declared:
        detail = f"the file ends after {len(block)} of {declared} bytes of this record"
        on_problem(SourceProblem(source, url, "truncated", detail))
        return None
    return page_of_exchange(source, url, block, _date(record), on_problem)


def _read_over(record: Any) -> int:
    """Read to the end of a record, piece by piece, and return how many bytes there were."""
    total = 0
    while chunk := record.reader.read(_SCANNED_BYTES):
        total += len(chunk)
    return total


def _date(record: Any) -> datetime | None:
    """Return the record's date, or None when it has none that makes sense."""
    date = record.record_date
    return date if isinstance(date, datetime) and date.tzinfo is not None else None


def _next_start(file: BinaryIO, position: int) -> int | None:
    """Return the next offset at or after `position` that looks like the start of a record."""
    file.seek(position)
    tail = b""
    while chunk := file.read(_SCANNED_BYTES):
        window = tail + chunk
        found = _RECORD_START.search(window)
        if found is not None:
            return position - len(tail) + found.start()
        position += len(chunk)
        tail = window[-8:]
    return None
