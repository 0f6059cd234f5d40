"""A record as Kafka gave it, whatever its topic: where it came from, and how its headers are read."""

from dataclasses import dataclass
from typing import Any, Literal

from hss_stream.errors import BadPageError

# A record over this is refused even where a topic lets it through; larger pages travel in parts.
MAX_RECORD_BYTES = 8 << 20
# Times outside 1990 to 2100 are mistakes; see "page time" in docs/topics.md.
EARLIEST_MS = 631_152_000_000
LATEST_MS = 4_102_444_800_000
_HOUR_MS = 3_600_000

Reason = Literal["unreadable", "oversized", "bad_headers", "unsupported_type", "failed"]
Headers = tuple[tuple[str, bytes], ...]


class RejectedRecordError(BadPageError):
    """A record that will never be what its topic promises, with the reason its dead letter carries."""

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
    def of_driver(cls, record: Any) -> "RawRecord":
        """Return a record as aiokafka or the log in memory gave it."""
        place = Place(record.topic, record.partition, record.offset)
        return cls(place, record.timestamp, record.key, record.value, tuple(record.headers))


def subject_time(said_ms: int | None, timestamp_ms: int) -> int:
    """Return a page's or message's time: what its header says, but at most an hour after Kafka got it."""
    if said_ms is None or not EARLIEST_MS <= said_ms < LATEST_MS:
        return timestamp_ms
    return min(said_ms, timestamp_ms + _HOUR_MS)


def read_text(headers: dict[str, bytes], name: str) -> str | None:
    """Return a header as text, None without it; RejectedRecordError when it is none."""
    try:
        return headers[name].decode() if name in headers else None
    except UnicodeDecodeError:
        raise RejectedRecordError("bad_headers", f"header {name} is not UTF-8") from None


def read_number(headers: dict[str, bytes], name: str, least: int, most: int) -> int | None:
    """Return a header as a number in a range, None without it; RejectedRecordError when it is none."""
    text = read_text(headers, name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise RejectedRecordError("bad_headers", f"header {name} is not a number from {least} to {most}")
    return int(text)


def check_format(headers: dict[str, bytes], expected: str) -> None:
    """Raise RejectedRecordError unless the header `format` is the expected one."""
    if read_text(headers, "format") != expected:
        raise RejectedRecordError("bad_headers", f"header format is not {expected}")


def check_value(value: bytes | None) -> bytes:
    """Return the value of a record that has one of a size we read, or raise RejectedRecordError."""
    if value is None:
        raise RejectedRecordError("unreadable", "the record has no value")
    if len(value) > MAX_RECORD_BYTES:
        raise RejectedRecordError("oversized", f"the body is over {MAX_RECORD_BYTES} bytes in one record")
    return value
