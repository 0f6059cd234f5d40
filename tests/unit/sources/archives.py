"""Archives made by code: WARC and ARC records with any body, whole or broken."""

import gzip

HTML = b"<html><head><title>hello</title></head><body><p>hello world</p></body></html>"


def response(body=HTML, *, status=200, **headers):
    """Return an HTTP response as bytes; underscores in names are hyphens."""
    lines = {"Content_Type": "text/html; charset=utf-8", **headers}
    head = b"".join(
        f"{name.replace('_', '-')}: {value}\r\n".encode() for name, value in lines.items() if value
    )
    return f"HTTP/1.1 {status} Fine\r\n".encode() + head + b"\r\n" + body


def warc_record(block, *, url="http://example.com/", record_type="response", length=None):
    """Return one WARC record; `length` makes it lie about its size."""
    head = (
        f"WARC/1.0\r\nWARC-Type: {record_type}\r\nWARC-Target-URI: {url}\r\n"
        "WARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        "Content-Type: application/http\r\n"
        f"Content-Length: {len(block) if length is None else length}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def arc_record(block, *, url="http://example.com/", content_type="text/html"):
    """Return one ARC record."""
    return f"{url} 192.0.2.1 20260102030405 {content_type} {len(block)}\n".encode() + block + b"\n"


def members(records):
    """Return records as gzip members, one each, as archives have it."""
    return b"".join(gzip.compress(record) for record in records)
