"""Records out of JSONL: `{"url", "html" | "html_base64" | "path" | "text"}` a line, `-` for standard input.

A broken line is reported with its number and left out. Lines have a limit, so that a file without
line feeds costs no more than it.
"""

import base64
import binascii
import io
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from hss_stream.errors import SourceError
from hss_stream.sources.compressed import (
    OversizedError,
    open_plain,
    read_limited,
    stream_failure,
    unpack_layers,
)
from hss_stream.sources.record import (
    MAX_BODY_BYTES,
    Kind,
    OnProblem,
    ProblemReason,
    SourceProblem,
    SourceRecord,
    file_domain,
)

# Base64 takes a third more than the body, and escapes in a text body seldom more than that.
MAX_LINE_BYTES = MAX_BODY_BYTES * 3 // 2
STANDARD_INPUT = Path("-")


class BrokenLineError(SourceError):
    """A line of a JSONL file is no record."""


def read_jsonl(path: Path, kind: Kind | None, on_problem: OnProblem) -> Iterator[SourceRecord]:
    """Yield the records of a JSONL file, plain, `.gz` or `.zst`, or of standard input."""
    folder = Path() if path == STANDARD_INPUT else path.parent
    for number, line in read_lines(path, on_problem):
        try:
            yield _record(line, folder, kind)
        except OversizedError as error:
            _report(path, number, "oversized", error, on_problem)
        except BrokenLineError as error:
            _report(path, number, "broken_line", error, on_problem)
        except SourceError as error:
            _report(path, number, "unreadable", error, on_problem)


def read_lines(path: Path, on_problem: OnProblem) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank with their numbers; too long ones and a cut file are reported."""
    stream = sys.stdin.buffer if path == STANDARD_INPUT else open_plain(path)
    number = 0
    try:
        while line := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                _skip_line(stream, line)
                error = OversizedError(f"a line longer than {MAX_LINE_BYTES} bytes")
                _report(path, number, "oversized", error, on_problem)
            elif line.strip():
                yield number, line
        failure = stream_failure(stream)
        if failure is not None:
            on_problem(SourceProblem(str(path), f"line {number + 1}", *failure))
    except OSError as error:
        _report(path, number + 1, "unreadable", error, on_problem)
    finally:
        if path != STANDARD_INPUT:
            stream.close()


def _skip_line(stream: Any, line: bytes) -> None:
    """Read on to the end of a line that is too long."""
    while line and not line.endswith(b"\n"):
        line = stream.readline(io.DEFAULT_BUFFER_SIZE)


def _report(path: Path, number: int, reason: ProblemReason, error: Exception, on_problem: OnProblem) -> None:
    on_problem(SourceProblem(str(path), f"line {number}", reason, str(error)))


def _record(line: bytes, folder: Path, kind: Kind | None) -> SourceRecord:
    """Return the record in a line; SourceError says what is wrong with it."""
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BrokenLineError(f"no JSON: {error}") from error
    if not isinstance(fields, dict):
        raise BrokenLineError("no JSON object")
    url = _text(fields, "url")
    if not url:
        raise BrokenLineError("`url` is missing")
    body, guess = _body(fields, folder)
    return SourceRecord(
        url=url,
        body=body,
        kind=kind or guess,
        # JSON text has no charset of its own any more: we make it UTF-8, whatever the page's meta tag says.
        content_type="text/html; charset=utf-8" if "html" in fields else _text(fields, "content_type"),
        fetched_at=_time(fields),
        status=_status(fields),
        nameservers=_names(fields),
        truth=_text(fields, "truth"),
        domain=file_domain(url),
    )


def _body(fields: dict[str, Any], folder: Path) -> tuple[bytes, Kind]:
    """Return the body of a record, from whichever field has it, and its kind."""
    for name in ("html", "text"):
        text = _text(fields, name)
        if text is not None:
            return text.encode(), "page" if name == "html" else "text"
    coded = _text(fields, "html_base64")
    if coded is not None:
        try:
            return base64.b64decode(coded, validate=True), "page"
        except (binascii.Error, ValueError) as error:
            raise BrokenLineError(f"`html_base64` is no base64: {error}") from error
    path = _text(fields, "path")
    if path is None:
        raise BrokenLineError("one of `html`, `html_base64`, `path`, `text` is missing")
    try:
        with (folder / path).open("rb") as file:
            return unpack_layers(read_limited(file, MAX_BODY_BYTES), MAX_BODY_BYTES), "page"
    except (OSError, ValueError) as error:
        raise SourceError(f"reading {path}: {error}") from error


def _text(fields: dict[str, Any], name: str) -> str | None:
    """Return an optional field that has to be text."""
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise BrokenLineError(f"`{name}` is no text")
    return value


def _time(fields: dict[str, Any]) -> datetime | None:
    """Return `fetched_at` as an aware time; one without a zone is UTC."""
    value = _text(fields, "fetched_at")
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value)
    except ValueError as error:
        raise BrokenLineError(f"`fetched_at` is no RFC 3339 time: {error}") from error
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _status(fields: dict[str, Any]) -> int | None:
    """Return the HTTP status, if given."""
    value = fields.get("status")
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise BrokenLineError("`status` is no number")
    return value


def _names(fields: dict[str, Any]) -> tuple[str, ...]:
    """Return the name servers, as written."""
    value = fields.get("nameservers") or []
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise BrokenLineError("`nameservers` is no list of names")
    return tuple(value)
