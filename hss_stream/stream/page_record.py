"""A page as it travels on `hss.pages`: raw body, facts in headers.

Reading one never fails half-way: the record is either a page, a part of a large page, or
refused with a reason that becomes its dead letter.
"""

from dataclasses import dataclass

from hss_stream.stream.record import (
    RawRecord,
    RejectedRecordError,
    check_format,
    check_value,
    read_number,
    read_text,
    subject_time,
)

FORMAT = "1"
MAX_URL_BYTES = 8192
MAX_NAMESERVERS = 8
MAX_PARTS = 4096
# What a browser would render as a page or show as text.
READABLE_TYPES = ("text/", "application/xhtml", "application/xml", "application/rss", "application/atom")


@dataclass(frozen=True, slots=True)
class PartOf:
    """Which part of which body a record is."""

    body_id: bytes
    part: int
    parts: int


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What the headers say about a page."""

    url: str
    at_ms: int
    content_type: str | None
    status: int | None
    nameservers: tuple[str, ...]
    part: PartOf | None = None


def _part(headers: dict[str, bytes]) -> PartOf | None:
    if "body-id" not in headers:
        return None
    part = read_number(headers, "part", 0, MAX_PARTS - 1)
    parts = read_number(headers, "parts", 1, MAX_PARTS)
    if part is None or parts is None or part >= parts:
        raise RejectedRecordError("bad_headers", "headers part and parts do not number the parts of a body")
    return PartOf(headers["body-id"], part, parts)


def read_facts(record: RawRecord) -> PageFacts:
    """Return what the headers say, or raise RejectedRecordError."""
    headers = dict(record.headers)
    check_format(headers, FORMAT)
    url = read_text(headers, "url")
    if not url or len(headers["url"]) > MAX_URL_BYTES:
        raise RejectedRecordError("bad_headers", "header url is missing or too long")
    fetched_at = read_number(headers, "fetched-at", 0, 10**18)
    nameservers = (name.strip() for name in (read_text(headers, "nameservers") or "").split(","))
    return PageFacts(
        url,
        subject_time(fetched_at, record.timestamp_ms),
        read_text(headers, "content-type"),
        read_number(headers, "status", 100, 999),
        tuple(name for name in nameservers if name)[:MAX_NAMESERVERS],
        _part(headers),
    )


def check_body(facts: PageFacts, body: bytes | None) -> bytes:
    """Return the body of a page or of its first part, or raise RejectedRecordError."""
    body = check_value(body)
    kind = (facts.content_type or "").partition(";")[0].strip().lower()
    if kind and not kind.startswith(READABLE_TYPES):
        raise RejectedRecordError("unsupported_type", "the content type is not a page's")
    if is_binary(body):
        raise RejectedRecordError("unsupported_type", "the body is not text")
    return body


def is_binary(body: bytes) -> bool:
    """Tell whether the first bytes are no text in any encoding pages use; gzip is unpacked later."""
    head = body[:512]
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff")) or head.count(0) * 3 > len(head)
    return b"\0" in head and not wide and not head.startswith(b"\x1f\x8b")
