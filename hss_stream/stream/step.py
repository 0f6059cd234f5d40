"""What the stream asks of others: the step of a topic, the marks of records in hand, the sender.

The agents know these protocols and nothing behind them, so the same loops run on Kafka and Redis,
on the embedded broker, and in tests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from hss_stream.observe.metrics import Kind
from hss_stream.steps.events import Event
from hss_stream.store.page_marks import Partition, PartitionMarks
from hss_stream.stream.work import RecordReader


@dataclass(frozen=True, slots=True)
class OutRecord:
    """A record to produce."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()


class StepResult(NamedTuple):
    """What became of a record: a word for the metrics, its events, and records that are no events."""

    outcome: str
    events: Sequence[Event] = ()
    records: Sequence[OutRecord] = ()


class RecordStep(Protocol):
    """What is done with the records of one topic.

    Records come in offset order within a partition, are marked in the store before they are read, and
    are acknowledged only after `place` has returned and Kafka has everything it gave, in order. Any of it
    may be repeated after a crash. Every method may raise StoreError, which is waited out; another error
    of `scan` or `place` isolates the record and finally makes it a dead letter.
    """

    kind: Kind

    def open_reader(self) -> RecordReader:
        """Return a reader for one partition; called whenever the partition is taken."""

    async def open_source(self, partition: Partition, incarnation: str) -> int:
        """Load what is pinned of a partition; return its fence, the last pinned offset (-1: none).

        `incarnation` tells a topic made anew from the one that was deleted.
        """

    async def scan(self, partition: Partition, items: Sequence[Any]) -> Sequence[Any]:
        """Read what the reader gave, in threads where that takes long; what comes back is for `place`."""

    async def place(self, partition: Partition, scanned: Sequence[Any]) -> Sequence[StepResult]:
        """Apply items in the order of their offsets; repeating is safe and gives the same output."""

    async def trim(self, committed: Mapping[Partition, int]) -> None:
        """Forget what is kept for offsets that will never be delivered again."""


class RecordMarks(Protocol):
    """Remembers what is in hand and why records died; every method may raise StoreError."""

    async def load(self, partition: Partition, incarnation: str) -> PartitionMarks:
        """Return what is remembered of a partition; the other methods go on with that incarnation."""

    async def mark(self, partition: Partition, first: int, last: int, tries: int) -> None:
        """Remember which offsets are in hand, before they are read."""

    async def pin_letters(self, partition: Partition, letters: Mapping[int, bytes]) -> Mapping[int, bytes]:
        """Pin dead letters; return what is pinned, which is what was pinned first."""

    async def trim(self, committed: Mapping[Partition, int]) -> None:
        """Forget letters below the committed offsets, and remember those offsets."""


class RecordSender(Protocol):
    """Produces records."""

    async def send(self, records: Sequence[OutRecord]) -> None:
        """Return once Kafka has acknowledged all of them; raise StreamError if it did not."""
