"""WARC and ARC files: only HTML responses are pages, and nothing in a file stops the reading."""

import gzip
import zlib
from datetime import UTC, datetime

import cramjam
import pytest
import zstandard

from hss_stream.sources import arc, warc
from hss_stream.sources.records import ProblemCount, open_source
from tests.unit.sources.archives import HTML, arc_record, members, response, warc_record


def read(path, content):
    """Write a file, read it as a source, return its records and problems."""
    path.write_bytes(content)
    problems = ProblemCount()
    return list(open_source(path, on_problem=problems)), problems


@pytest.mark.parametrize("packed", [False, True])
def test_warc_gives_html_responses(tmp_path, packed):
    """Requests, images and DNS answers are no pages; date, status and type of a page are kept."""
    records = [
        warc_record(b"software: x\r\n", record_type="warcinfo"),
        warc_record(b"GET / HTTP/1.1\r\n\r\n", record_type="request"),
        warc_record(response(status=404), url="<http://example.com/a>"),
        warc_record(response(b"GIF89a", Content_Type="image/gif")),
        warc_record(b"20260102\nexample.com. A 192.0.2.1", url="dns:example.com"),
        warc_record(response(Content_Type=None), url="http://example.com/untyped"),
    ]
    name = "a.warc.gz" if packed else "a.warc"
    pages, problems = read(tmp_path / name, members(records) if packed else b"".join(records))

    assert ["http://example.com/a", "http://example.com/untyped"] == [page.url for page in pages]
    assert (404, HTML, "page") == (pages[0].status, pages[0].body, pages[0].kind)
    assert datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC) == pages[0].fetched_at
    assert 0 == problems.total


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda body: zlib.compress(body)[2:-4]),
        ("br", lambda body: bytes(cramjam.brotli.compress(body))),
        ("zstd", zstandard.compress),
        ("gzip", bytes),
        ("identity", bytes),
    ],
)
def test_content_encodings_are_removed(tmp_path, coding, pack):
    """A page comes out as the browser saw it, also where the recorder had unpacked it already."""
    pages, problems = read(tmp_path / "a.warc", warc_record(response(pack(HTML), Content_Encoding=coding)))

    assert [HTML] == [page.body for page in pages]
    assert 0 == problems.total


def test_chunked_bodies_are_joined(tmp_path):
    """Chunks are joined, also when the last one is cut; a body that is not chunked stays as it is."""
    chunked = b"5\r\n<html\r\n3;x=y\r\n><p\r\n0\r\n\r\n"
    records = [
        warc_record(response(body, Transfer_Encoding="chunked"))
        for body in (chunked, b"5\r\n<html\r\nff\r\n><p>", HTML)
    ]
    pages, _ = read(tmp_path / "a.warc", b"".join(records))

    assert [b"<html><p", b"<html><p>", HTML] == [page.body for page in pages]


def test_cut_file_keeps_whole_records(tmp_path):
    """A file that ends in the middle of a record gives those before it and a problem."""
    whole = warc_record(response()) * 3
    pages, problems = read(tmp_path / "a.warc", whole[:-60])

    assert 2 == len(pages)
    assert {"truncated": 1} == problems.counts


def test_lying_length_is_reported(tmp_path):
    """A record that claims terabytes is reported, not awaited."""
    liar = warc_record(b"x", record_type="request", length=10**13)
    pages, problems = read(tmp_path / "a.warc", warc_record(response()) + liar + warc_record(response()))

    assert 1 == len(pages)
    assert {"truncated": 1} == problems.counts


@pytest.mark.parametrize("packed", [False, True])
def test_reading_goes_on_after_garbage(tmp_path, packed):
    """A broken record is reported and the ones after it are read."""
    good = warc_record(response())
    if packed:
        damaged = bytearray(gzip.compress(good))
        damaged[40:60] = b"\0" * 20
        content = gzip.compress(good) + bytes(damaged) + gzip.compress(good)
    else:
        content = good + b"garbage\r\n\r\n" + good
    pages, problems = read(tmp_path / ("a.warc.gz" if packed else "a.warc"), content)

    assert 2 == len(pages)
    assert 1 <= problems.counts["unreadable"] <= 2


def test_swelling_body_is_refused(tmp_path, monkeypatch):
    """A body that unpacks beyond the limit, or a record beyond it, is reported as oversized."""
    monkeypatch.setattr("hss_stream.sources.archive_page.MAX_BODY_BYTES", 10_000)
    monkeypatch.setattr(warc, "MAX_BODY_BYTES", 10_000)
    bombs = [
        warc_record(response(pack(b"<p>" * 10_000), Content_Encoding=coding))
        for coding, pack in [
            ("gzip", gzip.compress),
            ("deflate", zlib.compress),
            ("zstd", zstandard.compress),
            ("br", lambda body: bytes(cramjam.brotli.compress(body))),
        ]
    ]
    content = b"".join(bombs) + warc_record(response(b"<p>" * 10_000)) + warc_record(response())
    pages, problems = read(tmp_path / "a.warc", content)

    assert [HTML] == [page.body for page in pages]
    assert {"oversized": 5} == problems.counts


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 100, b"WARC/1.0\r\n", b"hello\n" * 100, b"\x1f\x8b\x08junk"]
)
@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.arc", "a.arc.gz"])
def test_no_archive_at_all_is_survived(tmp_path, name, content):
    """Whatever bytes a file holds, reading ends without an error."""
    pages, _ = read(tmp_path / name, content)

    assert [] == pages


@pytest.mark.parametrize("packed", [False, True])
def test_arc_gives_html_responses(tmp_path, packed):
    """An ARC file gives the same pages as the WARC file of the same crawl."""
    records = [
        arc_record(b"1 1 Archive\n", url="filedesc://a.arc", content_type="text/plain"),
        arc_record(b"20260102", url="dns:example.com", content_type="text/dns"),
        arc_record(response()),
        arc_record(response(b"GIF89a", Content_Type="image/gif"), content_type="image/gif"),
    ]
    content = members(records) if packed else b"".join(records)
    pages, problems = read(tmp_path / ("a.arc.gz" if packed else "a.arc"), content)
    twin, _ = read(tmp_path / "a.warc", warc_record(response()))

    assert twin == pages
    assert 0 == problems.total


def test_broken_arc_is_reported(tmp_path, monkeypatch):
    """A cut ARC file, one with garbage and one with an oversized record give the pages before that."""
    monkeypatch.setattr(arc, "MAX_BODY_BYTES", 10_000)
    good = arc_record(response())
    packed = members([good, good])

    for content, count, reason in [
        (good + good[:-40], 1, "truncated"),
        (good + b"what is this\n" + good, 1, "unreadable"),
        (arc_record(response(b"<p>" * 10_000)) + good, 1, "oversized"),
    ]:
        pages, problems = read(tmp_path / "a.arc", content)
        assert (count, {reason: 1}) == (len(pages), problems.counts)

    pages, problems = read(tmp_path / "b.arc.gz", packed[:-30])
    assert (1, {"truncated": 1}) == (len(pages), problems.counts)
