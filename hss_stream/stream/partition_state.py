"""What a worker holds of a partition while it owns it: its reader, its letters, what is in hand."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from hss_stream.store.page_marks import Partition, PartitionMarks
from hss_stream.stream.record import RawRecord
from hss_stream.stream.work import RecordReader, Work


@dataclass
class PartitionState:
    """One owned partition."""

    partition: Partition
    reader: RecordReader
    letters: dict[int, bytes] = field(default_factory=dict)
    # Offsets that were in hand when a worker ended: read one by one until past them.
    suspect_first: int = 0
    suspect_last: int = -1
    tries: int = 0
    # First and last offsets of batches that are read but not in the store yet.
    in_hand: deque[tuple[int, int]] = field(default_factory=deque)

    @classmethod
    def of_marks(
        cls, partition: Partition, marks: PartitionMarks, fence: int, reader: RecordReader
    ) -> "PartitionState":
        """Return the state a partition begins with; what is pinned up to the fence is beyond suspicion."""
        first = max(marks.first, fence + 1)
        return cls(partition, reader, dict(marks.letters or {}), first, marks.last, marks.tries)

    def is_suspect(self, offset: int) -> bool:
        """Tell whether an offset was in hand when a worker ended."""
        return self.suspect_first <= offset <= self.suspect_last

    def earlier_tries(self, offset: int) -> int:
        """Return how often an offset was in hand alone when a worker ended."""
        return self.tries if self.is_suspect(offset) else 0

    def span_in_hand(self) -> tuple[int, int]:
        """Return the first and last offset in hand; an empty span when nothing is."""
        return (self.in_hand[0][0], self.in_hand[-1][1]) if self.in_hand else (1, 0)

    def read(self, records: Iterable[RawRecord]) -> list[Work]:
        """Return the work in records, in their order."""
        return [work for record in records for work in self.reader.read(record)]
