"""A page as it travels on `hss.pages`: raw body, facts in headers.

Reading one never fails half-way: the record is either a page, a part of a large page, or
refused with a reason that becomes its dead letter.
"""

from dataclasses import dataclass
from typing import Any, Literal

from hss_stream.errors import BadPageError

FORMAT = "1"
# A record over this is refused even where a topic lets it through; larger bodies travel in parts.
MAX_RECORD_BYTES = 8 << 20
MAX_URL_BYTES = 8192
MAX_NAMESERVERS = 8
MAX_PARTS = 4096
# Page times outside 1990 to 2100 are mistakes; see "page time" in docs/topics.md.
EARLIEST_MS = 631_152_000_000
LATEST_MS = 4_102_444_800_000
_HOUR_MS = 3_600_000
# What a browser would render as a page or show as text.
READABLE_TYPES = ("text/", "application/xhtml", "application/xml", "application/rss", "application/atom")

Reason = Literal["unreadable", "oversized", "bad_headers", "unsupported_type", "failed"]
Headers = tuple[tuple[str, bytes], ...]


class RejectedPageError(BadPageError):
    """A record that will never be a page, with the reason its dead letter carries."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Place:
    """Where in Kafka something came from."""

    topic: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class RawRecord:
    """A record as Kafka gave it; time in milliseconds."""

    place: Place
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: Headers

    @classmethod
    def of_message(cls, message: Any) -> "RawRecord":
        """Return the record inside a Faust message."""
        headers = message.headers or ()
        pairs = headers.items() if isinstance(headers, dict) else headers
        return cls(
            Place(message.topic, message.partition, message.offset),
            round(message.timestamp * 1000),
            message.key,
            message.value,
            tuple((name, bytes(value)) for name, value in pairs),
        )


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


def page_time(fetched_at_ms: int | None, timestamp_ms: int) -> int:
    """Return a page's time: when it was fetched, but never more than an hour after Kafka got it."""
    if fetched_at_ms is None or not EARLIEST_MS <= fetched_at_ms < LATEST_MS:
        return timestamp_ms
    return min(fetched_at_ms, timestamp_ms + _HOUR_MS)


def _text(headers: dict[str, bytes], name: str) -> str | None:
    try:
        return headers[name].decode() if name in headers else None
    except UnicodeDecodeError:
        raise RejectedPageError("bad_headers", f"header {name} is not UTF-8") from None


def _number(headers: dict[str, bytes], name: str, least: int, most: int) -> int | None:
    text = _text(headers, name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise RejectedPageError("bad_headers", f"header {name} is not a number from {least} to {most}")
    return int(text)


def _part(headers: dict[str, bytes]) -> PartOf | None:
    if "body-id" not in headers:
        return None
    part = _number(headers, "part", 0, MAX_PARTS - 1)
    parts = _number(headers, "parts", 1, MAX_PARTS)
    if part is None or parts is None or part >= parts:
        raise RejectedPageError("bad_headers", "headers part and parts do not number the parts of a body")
    return PartOf(headers["body-id"], part, parts)


def read_facts(record: RawRecord) -> PageFacts:
    """Return what the headers say, or raise RejectedPageError."""
    headers = dict(record.headers)
    if _text(headers, "format") != FORMAT:
        raise RejectedPageError("bad_headers", f"header format is not {FORMAT}")
    url = _text(headers, "url")
    if not url or len(headers["url"]) > MAX_URL_BYTES:
        raise RejectedPageError("bad_headers", "header url is missing or too long")
    fetched_at = _number(headers, "fetched-at", 0, 10**18)
    nameservers = (name.strip() for name in (_text(headers, "nameservers") or "").split(","))
    return PageFacts(
        url,
        page_time(fetched_at, record.timestamp_ms),
        _text(headers, "content-type"),
        _number(headers, "status", 100, 999),
        tuple(name for name in nameservers if name)[:MAX_NAMESERVERS],
        _part(headers),
    )


def check_body(facts: PageFacts, body: bytes | None) -> bytes:
    """Return the body of a page or of its first part, or raise RejectedPageError."""
    if body is None:
        raise RejectedPageError("unreadable", "the record has no value")
    if len(body) > MAX_RECORD_BYTES:
        raise RejectedPageError("oversized", f"the body is over {MAX_RECORD_BYTES} bytes in one record")
    kind = (facts.content_type or "").partition(";")[0].strip().lower()
    if kind and not kind.startswith(READABLE_TYPES):
        raise RejectedPageError("unsupported_type", "the content type is not a page's")
    if is_binary(body):
        raise RejectedPageError("unsupported_type", "the body is not text")
    return body


def is_binary(body: bytes) -> bool:
    """Tell whether the first bytes are no text in any encoding pages use; gzip is unpacked later."""
    head = body[:512]
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff")) or head.count(0) * 3 > len(head)
    return b"\0" in head and not wide and not head.startswith(b"\x1f\x8b")
