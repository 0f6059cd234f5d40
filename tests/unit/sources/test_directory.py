"""Folders as sources: which files count, in which order, and as what."""

import gzip
import os

import pytest

from hss_stream.errors import SourceError
from hss_stream.sources import directory
from hss_stream.sources.record import file_domain
from hss_stream.sources.records import ProblemCount, open_source, open_sources
from hss_stream.sources.sniff import sniff_kind

HTML = b"<!DOCTYPE html><html><body>hi</body></html>"
MAIL = b"Return-Path: <a@example.com>\r\nSubject: hi\r\n\r\nhello\r\n"


def write_files(root, **files):
    """Write files whose names have __ for / and _ for a dot."""
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def test_files_come_sorted(tmp_path):
    """Every file below the folder is a record, sorted by path; its URL and domain say where it was."""
    write_files(tmp_path, b__z_html=HTML, b__a_html=HTML, a__x_html=HTML, c_html=HTML)
    pages = list(open_source(tmp_path))

    assert [
        ("file:///a/x.html", "a"),
        ("file:///b/a.html", "b"),
        ("file:///b/z.html", "b"),
        ("file:///c.html", "c.html"),
    ] == [(page.url, page.domain) for page in pages]


def test_kinds_are_told_by_first_bytes(tmp_path):
    """Pages, messages and text are told apart; compressed files are unpacked, twice if need be."""
    twice = gzip.compress(gzip.compress(HTML))
    write_files(tmp_path, a_gz=gzip.compress(HTML), b_html_gz=twice, c_eml=MAIL, d_txt=b"plain text")
    records = list(open_source(tmp_path))

    assert ["page", "page", "mail", "text"] == [record.kind for record in records]
    assert HTML == records[0].body == records[1].body


def test_other_files_are_reported(tmp_path):
    """Hidden files and labels are passed over; what is no page, message or text is reported."""
    (tmp_path / ".hidden").write_bytes(HTML)
    (tmp_path / "labels.jsonl").write_bytes(b"{}")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "broken.gz").write_bytes(b"\x1f\x8b\x08junk")
    os.mkfifo(tmp_path / "pipe")
    problems = ProblemCount()

    assert [] == list(open_source(tmp_path, on_problem=problems))
    assert {"not_a_page": 2, "unreadable": 1} == problems.counts
    assert "image.png" in str(problems.first[2])


def test_kind_can_be_forced(tmp_path):
    """The user's word wins over the first bytes."""
    write_files(tmp_path, a_html=HTML)

    assert ["text"] == [record.kind for record in open_source(tmp_path, kind="text")]


def test_swelling_file_is_refused(tmp_path, monkeypatch):
    """A file that unpacks beyond the limit, or is beyond it, is reported and costs no more than the limit."""
    monkeypatch.setattr(directory, "MAX_BODY_BYTES", 10_000)
    write_files(tmp_path, a_gz=gzip.compress(b"<p>" * 10_000), b_html=b"<p>" * 10_000, c_html=HTML)
    problems = ProblemCount()

    assert 1 == len(list(open_source(tmp_path, on_problem=problems)))
    assert {"oversized": 2} == problems.counts


def test_link_loops_are_not_followed(tmp_path):
    """A link to a folder above does not lead in circles."""
    write_files(tmp_path, a__x_html=HTML)
    (tmp_path / "a" / "loop").symlink_to(tmp_path)

    assert 1 == len(list(open_source(tmp_path)))


def test_single_files_and_several_sources(tmp_path):
    """A file that is no container is one record; several sources are read one after the other."""
    write_files(tmp_path, a_html=HTML, b_txt=b"text")
    records = list(open_sources([tmp_path / "b.txt", tmp_path / "a.html"]))

    assert ["file:///b.txt", "file:///a.html"] == [record.url for record in records]


def test_missing_source_is_an_error(tmp_path):
    """A source that is not there is refused before anything is read."""
    with pytest.raises(SourceError, match=r"opening .*missing: No such file"):
        open_source(tmp_path / "missing")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"\xff\xfe" + "<html><p>hi".encode("utf-16-le"), "page"),
        ("<html><p>hi".encode("utf-16-le"), "page"),
        (b"\xef\xbb\xbf  <!-- licence --><div>hi</div>", "page"),
        (b'<?xml version="1.0"?><html xmlns="x"><body/></html>', "page"),
        (b'<?xml version="1.0"?><urlset/>', None),
        (b'<doc id="1" url="x">Some text with a <br> in it</doc>', "text"),
        (b"From a@b Mon Jan  1\nReceived: by x\nMessage-ID: <1>\n\n<html><body>", "mail"),
        (b"Subject: only one header\n\ntext", "text"),
        (b"WARC/1.0\r\n", None),
        (b"%PDF-1.4\n%\0\0", None),
        (b"   \n", None),
    ],
)
def test_first_bytes_tell_the_kind(body, kind):
    """First bytes decide, in any common encoding; other XML, archives and binary files are nothing to us."""
    assert kind == sniff_kind(body)


def test_only_files_have_a_domain():
    """The first path component of a file URL is its domain; other URLs leave that to their host."""
    assert ["a", None, None] == [file_domain(url) for url in ("file:///a/b", "file:///", "http://a/b")]
