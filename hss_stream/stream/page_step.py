"""What the stream asks of others: the step that places pages, the marks of pages in hand, the sender.

The agents know these protocols and nothing behind them, so the same loops run on Kafka and Redis,
on the embedded broker, and in tests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from hss_stream.steps.events import Event
from hss_stream.store.page_marks import Partition, PartitionMarks
from hss_stream.stream.page_record import PageFacts


@dataclass(frozen=True, slots=True)
class PageInput:
    """A page to place: its body, or what was read of it part by part."""

    offset: int
    facts: PageFacts
    body: bytes | None
    scan: Any = None


class PlacedPage(NamedTuple):
    """What became of a page."""

    outcome: str
    events: Sequence[Event]


class PageStep(Protocol):
    """Places pages; every method may raise StoreError, which means: nothing is wrong with the page."""

    async def open_source(self, partition: Partition) -> int:
        """Load what is pinned of a partition; return its fence, the last pinned offset (-1: none)."""

    async def scan(self, partition: Partition, pages: Sequence[PageInput]) -> Sequence[Any]:
        """Read pages, in threads; what comes back is for `place`."""

    async def place(self, partition: Partition, scanned: Sequence[Any]) -> Sequence[PlacedPage]:
        """Place pages in the order of their offsets; repeating is safe and gives the same events."""

    async def trim(self, committed: Mapping[Partition, int]) -> None:
        """Forget what is kept for offsets that will never be delivered again."""


class PageMarks(Protocol):
    """Remembers what is in hand and why pages died; every method may raise StoreError."""

    async def load(self, partition: Partition) -> PartitionMarks:
        """Return what is remembered of a partition."""

    async def mark(self, partition: Partition, first: int, last: int, tries: int) -> None:
        """Remember which offsets are in hand, before they are read."""

    async def pin_letters(self, partition: Partition, letters: Mapping[int, bytes]) -> Mapping[int, bytes]:
        """Pin dead letters; return what is pinned, which is what was pinned first."""

    async def trim(self, committed: Mapping[Partition, int]) -> None:
        """Forget letters below the committed offsets, and remember those offsets."""


@dataclass(frozen=True, slots=True)
class OutRecord:
    """A record to produce."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()


class RecordSender(Protocol):
    """Produces records."""

    async def send(self, records: Sequence[OutRecord]) -> None:
        """Return once Kafka has acknowledged all of them; raise StreamError if it did not."""
