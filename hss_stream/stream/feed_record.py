"""What a feed writes: a page or message of a source as one or more records of its topic.

Beside the headers of the topic each record carries `feed`, `feed-index` and, for a large body, its part.
They let an interrupted feed find out from Kafka itself what had arrived, so that going on repeats nothing.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from hss_stream.errors import BadPageError
from hss_stream.sources.record import SourceRecord
from hss_stream.stream.page_record import FORMAT, MAX_NAMESERVERS, MAX_URL_BYTES
from hss_stream.stream.record import MAX_RECORD_BYTES

# A body over this travels in parts (the interface of `hss.pages`); each part is at most as large.
PART_BYTES = 1 << 20

Position = tuple[int, int]


@dataclass(frozen=True, slots=True)
class FeedRecord:
    """One record to produce; `position` is (index in the source, part of the body)."""

    key: bytes
    value: bytes
    headers: tuple[tuple[str, bytes], ...]
    position: Position


def _milliseconds(moment: datetime | None) -> str | None:
    return None if moment is None else str(round(moment.timestamp() * 1000))


def _encoded(fields: dict[str, str | None]) -> tuple[tuple[str, bytes], ...]:
    return tuple((name, value.encode()) for name, value in fields.items() if value is not None)


def page_records(record: SourceRecord, feed: str, index: int) -> Iterator[FeedRecord]:
    """Yield the records of one page, in order."""
    key = record.url.encode()
    if len(key) > MAX_URL_BYTES:
        raise BadPageError(f"feeding a page: its URL is over {MAX_URL_BYTES} bytes")
    parts = max(1, -(-len(record.body) // PART_BYTES))
    fields = {
        "url": record.url,
        "fetched-at": _milliseconds(record.fetched_at),
        "content-type": record.content_type,
        "status": None if record.status is None else str(record.status),
        "nameservers": ",".join(record.nameservers[:MAX_NAMESERVERS]) or None,
        "format": FORMAT,
        "feed": feed,
        "feed-index": str(index),
    }
    for part in range(parts):
        numbering = (
            {"body-id": f"{feed}-{index}", "part": str(part), "parts": str(parts)} if parts > 1 else {}
        )
        body = record.body[part * PART_BYTES : (part + 1) * PART_BYTES]
        yield FeedRecord(key, body, _encoded({**fields, **numbering}), (index, part))


def mail_records(record: SourceRecord, feed: str, index: int) -> Iterator[FeedRecord]:
    """Yield the record of one message."""
    if len(record.body) > MAX_RECORD_BYTES:
        raise BadPageError(f"feeding a message: it is over {MAX_RECORD_BYTES} bytes")
    fields = {
        "received-at": _milliseconds(record.fetched_at),
        "format": FORMAT,
        "feed": feed,
        "feed-index": str(index),
    }
    key = hashlib.sha256(record.body).hexdigest().encode()
    yield FeedRecord(key, record.body, _encoded(fields), (index, 0))


def read_position(headers: tuple[tuple[str, bytes], ...], feed: str) -> Position | None:
    """Return where in its source a record of this feed stands; None for a record of anybody else."""
    named = dict(headers)
    if named.get("feed") != feed.encode():
        return None
    return int(named["feed-index"]), int(named.get("part", b"0"))
