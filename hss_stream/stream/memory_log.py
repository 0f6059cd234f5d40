"""A broker inside the process: partition logs in memory, bounded by bytes.

What somebody consumes is kept until it is committed, and producers wait for room. What nobody
consumes here (attachments, alerts) is a ring of the newest records, for whoever looks.
It does not survive the process: sources must be replayable.
"""

import asyncio
import time
import zlib
from collections import deque
from dataclasses import dataclass, field

DEFAULT_MAX_BYTES = 64 << 20
RING_RECORDS = 20_000
RING_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One record as Kafka would have kept it; time in milliseconds."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()

    @property
    def size(self) -> int:
        """Bytes of key and value."""
        return len(self.key or b"") + len(self.value or b"")


@dataclass
class _Partition:
    records: deque[LogRecord] = field(default_factory=deque)
    first: int = 0
    held_bytes: int = 0

    @property
    def end(self) -> int:
        return self.first + len(self.records)

    def drop_first(self) -> int:
        record = self.records.popleft()
        self.first += 1
        self.held_bytes -= record.size
        return record.size


class MemoryLog:
    """All topics of an embedded broker, and the committed offsets of its one group."""

    def __init__(self, partitions: int = 4, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self.default_partitions = partitions
        self.max_bytes = max_bytes
        self.committed: dict[tuple[str, int], int] = {}
        self.grown = asyncio.Event()
        self._topics: dict[str, list[_Partition]] = {}
        self._consumed: set[str] = set()
        self._held_bytes = 0
        self._freed = asyncio.Event()
        self._turn = 0

    def create(self, topic: str, partitions: int | None = None) -> int:
        """Make sure a topic is there; return its number of partitions."""
        if topic not in self._topics:
            self._topics[topic] = [_Partition() for _ in range(partitions or self.default_partitions)]
        return len(self._topics[topic])

    def consume(self, topic: str) -> int:
        """Say that a topic is consumed here, so that nothing of it is dropped before it is committed."""
        self._consumed.add(topic)
        return self.create(topic)

    def partition_of(self, topic: str, key: bytes | None) -> int:
        """Return the partition of a key; records without one go round."""
        count = self.create(topic)
        if key is None:
            self._turn += 1
            return self._turn % count
        return zlib.crc32(key) % count

    async def append(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        *,
        partition: int | None = None,
        timestamp: int | None = None,
        headers: tuple[tuple[str, bytes], ...] = (),
    ) -> LogRecord:
        """Add a record; waits while consumed topics hold all the bytes they may."""
        number = self.partition_of(topic, key) if partition is None else partition
        self.create(topic)
        size = len(key or b"") + len(value or b"")
        while topic in self._consumed and self._held_bytes and self._held_bytes + size > self.max_bytes:
            self._freed.clear()
            await self._freed.wait()
        target = self._topics[topic][number]
        now = int(time.time() * 1000) if timestamp is None else timestamp
        record = LogRecord(topic, number, target.end, now, key, value, headers)
        target.records.append(record)
        target.held_bytes += record.size
        if topic in self._consumed:
            self._held_bytes += record.size
        else:
            while len(target.records) > RING_RECORDS or target.held_bytes > RING_BYTES:
                target.drop_first()
        self.grown.set()
        return record

    @property
    def waiting(self) -> int:
        """Records of consumed topics that nobody has committed yet."""
        return sum(len(target.records) for topic in self._consumed for target in self._topics[topic])

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        """Return the first offset still there and the one after the last."""
        self.create(topic)
        target = self._topics[topic][partition]
        return target.first, target.end

    def read(self, topic: str, partition: int, offset: int, limit: int) -> list[LogRecord]:
        """Return at most `limit` records from an offset on."""
        target = self._topics[topic][partition]
        start = max(offset - target.first, 0)
        return [target.records[index] for index in range(start, min(start + limit, len(target.records)))]

    def records(self, topic: str) -> list[LogRecord]:
        """Return everything a topic still holds, partition by partition."""
        return [record for target in self._topics.get(topic, []) for record in target.records]

    def commit(self, topic: str, partition: int, offset: int) -> None:
        """Note a committed offset and drop what nobody will read again."""
        self.committed[topic, partition] = offset
        target = self._topics[topic][partition]
        while target.records and target.first < offset:
            self._held_bytes -= target.drop_first()
        self._freed.set()
