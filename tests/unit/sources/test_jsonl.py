"""JSONL sources: every line is a record or a problem with its number."""

import base64
import gzip
import io
import json
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest
import zstandard

from hss_stream.errors import SourceError
from hss_stream.sources import jsonl
from hss_stream.sources.nameservers import join_nameservers, load_nameservers
from hss_stream.sources.records import ProblemCount, SourceRecord, open_source


def read(path, *lines):
    """Write lines (objects or raw bytes) to a file, read it, return its records and problems."""
    rows = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    content = b"\n".join(rows)
    packers = {".gz": gzip.compress, ".zst": zstandard.compress}
    path.write_bytes(packers.get(path.suffix, bytes)(content))
    problems = ProblemCount()
    return list(open_source(path, on_problem=problems)), problems


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst"])
def test_every_form_of_body_is_read(tmp_path, name):
    """Text, base64 and files beside the JSONL file give the same page; .gz files are unpacked."""
    (tmp_path / "page.html").write_bytes(b"<p>hi</p>")
    (tmp_path / "page.html.gz").write_bytes(gzip.compress(gzip.compress(b"<p>hi</p>")))
    pages, problems = read(
        tmp_path / name,
        {"url": "http://a.example/", "html": "<p>hi</p>"},
        {"url": "http://a.example/", "html_base64": base64.b64encode(b"<p>hi</p>").decode()},
        {"url": "http://a.example/", "path": "page.html"},
        {"url": "http://a.example/", "path": str(tmp_path / "page.html.gz")},
        {"url": "http://a.example/", "text": "<p>hi</p>"},
    )

    assert [b"<p>hi</p>"] * 5 == [page.body for page in pages]
    assert ["page"] * 4 + ["text"] == [page.kind for page in pages]
    assert 0 == problems.total


def test_optional_fields_are_kept(tmp_path):
    """Time, status, type, name servers and truth come through; files have a domain of their own."""
    pages, _ = read(
        tmp_path / "a.jsonl",
        {
            "url": "file:///shop/a/index.html",
            "html_base64": "",
            "fetched_at": "2026-01-02T03:04:05+02:00",
            "status": 301,
            "content_type": "text/html",
            "nameservers": ["ns1.example.net", "ns2.example.net"],
            "truth": "spam",
        },
    )

    assert [
        SourceRecord(
            url="file:///shop/a/index.html",
            body=b"",
            kind="page",
            content_type="text/html",
            fetched_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=2))),
            status=301,
            nameservers=("ns1.example.net", "ns2.example.net"),
            truth="spam",
            domain="shop",
        )
    ] == pages


def test_text_bodies_are_utf8(tmp_path):
    """A page given as JSON text is UTF-8 whatever charset its header or meta tag names."""
    pages, _ = read(
        tmp_path / "a.jsonl", {"url": "u", "html": "é", "content_type": "text/html; charset=latin-1"}
    )

    assert ("é".encode(), "text/html; charset=utf-8") == (pages[0].body, pages[0].content_type)


def test_times_without_zone_are_utc(tmp_path):
    """A time that names no zone is read as UTC."""
    pages, _ = read(tmp_path / "a.jsonl", {"url": "u", "html": "", "fetched_at": "2026-01-02T03:04:05"})

    assert datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC) == pages[0].fetched_at


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"\xff\xfe",
        b"[1]",
        b"null",
        {"html": "x"},
        {"url": "", "html": "x"},
        {"url": 7, "html": "x"},
        {"url": "u"},
        {"url": "u", "html": 7},
        {"url": "u", "html_base64": "*"},
        {"url": "u", "html": "x", "fetched_at": "yesterday"},
        {"url": "u", "html": "x", "fetched_at": 7},
        {"url": "u", "html": "x", "status": "200"},
        {"url": "u", "html": "x", "status": True},
        {"url": "u", "html": "x", "nameservers": "ns1"},
        {"url": "u", "html": "x", "nameservers": [1]},
        {"url": "u", "html": "x", "truth": 1},
    ],
)
def test_broken_lines_are_reported(tmp_path, line):
    """A line that is no record is reported with its number, and the others are read."""
    good = {"url": "u", "html": "x"}
    pages, problems = read(tmp_path / "a.jsonl", good, b"", line, good)

    assert 2 == len(pages)
    assert [("line 3", "broken_line")] == [(problem.where, problem.reason) for problem in problems.first]


@pytest.mark.parametrize("path", ["missing.html", "bad\0name"])
def test_missing_files_are_reported(tmp_path, path):
    """A record whose file is not there is a problem of that line alone."""
    pages, problems = read(tmp_path / "a.jsonl", {"url": "u", "path": path}, {"url": "u", "html": "x"})

    assert (1, {"unreadable": 1}) == (len(pages), problems.counts)


def test_endless_line_costs_its_limit(tmp_path, monkeypatch):
    """A line beyond the limit is read over and reported; the next one is read."""
    monkeypatch.setattr(jsonl, "MAX_LINE_BYTES", 1000)
    pages, problems = read(
        tmp_path / "a.jsonl", {"url": "u", "html": "x" * 50_000}, {"url": "u", "html": "x"}
    )

    assert (1, {"oversized": 1}) == (len(pages), problems.counts)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_cut_file_keeps_whole_lines(tmp_path, suffix):
    """A cut compressed file gives the lines before the cut and a problem."""
    lines = b"".join(json.dumps({"url": "u", "html": str(n)}).encode() + b"\n" for n in range(1000))
    packed = (gzip.compress if suffix == ".gz" else zstandard.compress)(lines)
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(packed[:-9])
    problems = ProblemCount()
    pages = list(open_source(path, on_problem=problems))

    assert len(pages) <= 1000
    assert (len(pages) > 900) == (suffix == ".gz")
    assert problems.total >= (1 if suffix == ".gz" else 0)


def test_standard_input_is_jsonl(monkeypatch):
    """`-` reads JSONL from standard input."""
    stream = io.TextIOWrapper(io.BytesIO(b'{"url": "u", "html": "x"}\n'))
    monkeypatch.setattr(sys, "stdin", stream)

    assert [b"x"] == [page.body for page in open_source("-")]


def test_nameservers_are_joined_by_domain(tmp_path):
    """A page without name servers gets those of its domain; one that names some keeps them."""
    table_file = tmp_path / "ns.jsonl"
    table_file.write_text(
        '{"domain": "A.example.", "nameservers": ["ns1.x"]}\n'
        '{"domain": "a.example", "nameservers": ["ns2.x"]}\n'
        '{"domain": 1, "nameservers": []}\nno json\n{"domain": "b.example"}\n'
    )
    problems = ProblemCount()
    table = load_nameservers(table_file, problems)
    records = [
        SourceRecord("http://a.example/", b"", "page"),
        SourceRecord("http://a.example/", b"", "page", nameservers=("own",)),
        SourceRecord("http://c.example/", b"", "page"),
    ]
    joined = join_nameservers(records, table, lambda record: record.url.split("/")[2])

    assert [("ns1.x", "ns2.x"), ("own",), ()] == [record.nameservers for record in joined]
    assert {"broken_line": 3} == problems.counts


def test_missing_table_is_an_error(tmp_path):
    """A --nameservers file that is not there is refused."""
    with pytest.raises(SourceError, match="no such file"):
        load_nameservers(tmp_path / "missing", ProblemCount())
