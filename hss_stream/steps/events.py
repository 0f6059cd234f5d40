"""Events as they leave the program: ids, shapes and bytes.

An event's id is a function of its origin and subject alone, and its content of the page and of what was
pinned for it, so a page delivered twice gives the same bytes twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson
import xxhash

FORMAT = 1


class Origin(NamedTuple):
    """Where a page came from: the name of its source and its offset there."""

    group: str
    topic: str
    partition: int | str
    offset: int

    def to_json(self) -> list[str | int]:
        """Return the origin as events carry it."""
        return list(self)

    def to_header(self) -> str:
        """Return the origin as Kafka headers carry it."""
        return "/".join(str(part) for part in self)


@dataclass(frozen=True)
class Event:
    """One event: `kind` chooses the topic, `key` its key there; `body` None is a tombstone."""

    kind: str
    key: str
    body: Mapping[str, Any] | None

    def encode(self) -> bytes:
        """Return the bytes on the wire: one line of JSON."""
        return b"" if self.body is None else orjson.dumps(self.body)


def event_id(
    group: str, topic: str, partition: int | str, offset: int, event: str, subject_id: str, change: str
) -> str:
    """Return the id of an event: XXH3-128 over its parts, each after its length."""
    digest = xxhash.xxh3_128()
    for part in (group, topic, str(partition), str(offset), event, subject_id, change):
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(4, "big"))
        digest.update(encoded)
    return digest.hexdigest()


def make_event(
    kind: str, origin: Origin, at_ms: int, subject_id: str, change: str, key: str, /, **fields: object
) -> Event:
    """Return an event of an origin; `subject_id` and `change` tell it from the others of that origin."""
    head = {
        "event": kind,
        "format": FORMAT,
        "id": event_id(*origin, kind, subject_id, change),
        "at": rfc3339(at_ms),
        "origin": origin.to_json(),
    }
    return Event(kind, key, head | fields)


def rfc3339(at_ms: int) -> str:
    """Return a time in milliseconds as users see it: UTC, with milliseconds only where there are any."""
    moment = datetime.fromtimestamp(at_ms // 1000, UTC)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{at_ms % 1000:03d}Z" if at_ms % 1000 else f"{text}Z"
