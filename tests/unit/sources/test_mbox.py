"""Messages out of mbox files."""

import gzip
import io
import zlib

import pytest

from hss_stream.sources import mbox
from hss_stream.sources.records import ProblemCount, open_source

MESSAGES = b"""From a Thu Jan  1 10:00:00 2004
Subject: 1

From here on, text
>From quoted

From b Fri Jan  2 10:00:00 2004
Subject: 2

>>From twice
"""


def bodies(path, **options):
    """Return the bodies of the records of a source."""
    return [record.body for record in open_source(path, **options)]


@pytest.mark.parametrize("name", ["box.mbox", "box.mbox.gz"])
def test_mbox_gives_its_messages(tmp_path, name):
    """Each message is one record without its envelope line, with one level of quoting removed."""
    path = tmp_path / name
    path.write_bytes(gzip.compress(MESSAGES) if name.endswith("gz") else MESSAGES)

    expected = [b"Subject: 1\n\nFrom here on, text\nFrom quoted\n\n", b"Subject: 2\n\n>From twice\n"]
    records = list(open_source(path))
    assert expected == [record.body for record in records]
    assert [f"file:///{name}#0", f"file:///{name}#1"] == [record.url for record in records]
    assert {"mail"} == {record.kind for record in records}


def test_lines_longer_than_a_piece(tmp_path):
    """A line of any length is one line: nothing inside it begins a message."""
    path = tmp_path / "long.mbox"
    line = b"x" * (mbox._PIECE_BYTES - 1) + b"\n"
    path.write_bytes(
        b"From a 10:00 "
        + line
        + b"S: 1\n\n"
        + b"x" * mbox._PIECE_BYTES
        + b"From y 10:00\n\nFrom b 10:00\nS: 2\n"
    )

    assert [b"S: 1\n\n" + b"x" * mbox._PIECE_BYTES + b"From y 10:00\n\n", b"S: 2\n"] == bodies(path)


def test_giant_message_is_reported(tmp_path, monkeypatch):
    """A message over the limit is left out and reported; the next one is read."""
    monkeypatch.setattr(mbox, "MAX_BODY_BYTES", 40)
    path = tmp_path / "giant.mbox"
    path.write_bytes(b"From a 10:00\n" + b"x" * 99 + b"\n\nFrom b 10:00\nS: 2\n")
    problems = ProblemCount()

    assert [b"S: 2\n"] == bodies(path, on_problem=problems)
    assert {"oversized": 1} == problems.counts


class BrokenStream(io.BytesIO):
    """A stream that breaks after its first line, as a damaged compressed file does."""

    def readline(self, size=-1):
        """Return the first line, then raise."""
        if self.tell():
            raise zlib.error("invalid block type")
        return super().readline(size)


def test_broken_archive_is_reported(tmp_path, monkeypatch):
    """A compressed mbox that is broken ends with a problem, not with an exception."""
    path = tmp_path / "broken.mbox.gz"
    path.write_bytes(b"")
    monkeypatch.setattr(mbox, "open_plain", lambda _: BrokenStream(MESSAGES))
    problems = ProblemCount()
    bodies(path, on_problem=problems)

    assert {"unreadable": 1} == problems.counts


@pytest.mark.parametrize("body", [b"", b"\n\n\n"])
def test_empty_mbox_has_none(tmp_path, body):
    """An empty file has no messages."""
    path = tmp_path / "empty.mbox"
    path.write_bytes(body)

    assert [] == [message for message in bodies(path) if message.strip()]


def test_eml_is_mail(tmp_path):
    """A file named .eml is a message, whatever it begins with."""
    path = tmp_path / "a.eml"
    path.write_bytes(b"<html>no header")

    assert ["mail"] == [record.kind for record in open_source(path)]
    assert ["page"] == [record.kind for record in open_source(path, kind="page")]
