"""Which offset may be committed: the ledger of what was handed out and what is done.

A consumer commits "everything below N". Pages finish out of order (parts of a large body
stay open while later pages go by), so N is the first offset handed out and not yet done.
Offsets that Kafka never hands out (compaction, transaction markers) simply never appear.

Offsets done together (the parts of one body) are never split by a commit: a worker that starts
between them would meet a part without its beginning.
"""

from collections import deque
from collections.abc import Sequence


class PartitionLedger:
    """The offsets of one partition, in the order they were handed out."""

    def __init__(self) -> None:
        self._open: deque[int] = deque()
        self._done: dict[int, int] = {}  # offset → last offset done together with it
        self._whole_from = 0
        self._last: int | None = None
        self._safe: int | None = None

    def hand_out(self, offset: int) -> None:
        """Note that an offset was given to an agent; giving one again changes nothing."""
        if self._last is None or offset > self._last:
            self._open.append(offset)
            self._last = offset

    def settle(self, offsets: Sequence[int]) -> None:
        """Note that offsets are done together: effects applied, output acknowledged."""
        for offset in offsets:
            if self._open and offset >= self._open[0]:
                self._done[offset] = offsets[-1]
        while self._open and self._open[0] in self._done:
            first = self._open.popleft()
            self._whole_from = max(self._whole_from, self._done.pop(first))
            if first >= self._whole_from:
                self._safe = first + 1

    @property
    def safe_offset(self) -> int | None:
        """The offset to commit: all handed out below it is done; None when nothing is."""
        return self._safe

    @property
    def open_count(self) -> int:
        """How many offsets were handed out at or past the first that is not done."""
        return len(self._open)
