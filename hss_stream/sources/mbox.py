"""Messages out of mbox files, and single `.eml` files.

A message begins at a line `From … 12:34 …` at the start of the file or after a blank line: envelopes have
a time, sentences hardly ever. One `>` is taken from
lines `>From`, `>>From` … (the mboxrd form). The file is read in pieces, so only one message is in memory,
and one over the limit is reported and left out.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from hss_stream.sources.compressed import BROKEN_STREAM, open_plain
from hss_stream.sources.directory import read_single, url_path
from hss_stream.sources.record import MAX_BODY_BYTES, Kind, OnProblem, SourceProblem, SourceRecord

_PIECE_BYTES = 64 * 1024
_ENVELOPE = re.compile(rb"From [^\n]*\d\d:\d\d")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)


def read_eml(path: Path, kind: Kind | None, on_problem: OnProblem) -> Iterator[SourceRecord]:
    """Yield the one message of a file, whatever its first bytes look like."""
    yield from read_single(path, kind or "mail", on_problem)


def read_mbox(path: Path, kind: Kind | None, on_problem: OnProblem) -> Iterator[SourceRecord]:
    """Yield the messages of an mbox file in order; their URLs end with `#` and their number."""
    messages = _messages(path, on_problem)
    number = 0
    while True:
        try:
            message = next(messages, None)
        except BROKEN_STREAM as error:
            on_problem(SourceProblem(str(path), f"#{number}", "unreadable", f"reading mbox: {error}"))
            return
        if message is None:
            return
        url = f"file:///{url_path(Path(path.name))}#{number}"
        yield SourceRecord(url=url, body=_QUOTED_FROM.sub(rb"\1", message), kind=kind or "mail")
        number += 1


def _messages(path: Path, on_problem: OnProblem) -> Iterator[bytes]:
    """Yield the messages as they stand in the file, each without its `From ` line."""
    lines: list[bytes] = []
    size = 0
    at_start = after_blank = True
    with open_plain(path) as stream:
        while line := stream.readline(_PIECE_BYTES):
            if after_blank and _ENVELOPE.match(line):
                if size:
                    yield from _whole(path, lines, size, on_problem)
                lines, size = [], 0
                at_start = line.endswith(b"\n")
                after_blank = False
                continue
            after_blank = at_start and line in {b"\n", b"\r\n"}
            # The rest of a `From ` line longer than a piece is no part of the message.
            if size or at_start:
                size += len(line)
                if size <= MAX_BODY_BYTES:
                    lines.append(line)
            at_start = line.endswith(b"\n")
    if size:
        yield from _whole(path, lines, size, on_problem)


def _whole(path: Path, lines: list[bytes], size: int, on_problem: OnProblem) -> Iterator[bytes]:
    """Yield the message, or report that it is too large."""
    if size > MAX_BODY_BYTES:
        detail = f"a message of {size} bytes is larger than {MAX_BODY_BYTES}"
        on_problem(SourceProblem(str(path), "", "oversized", detail))
    else:
        yield b"".join(lines)
