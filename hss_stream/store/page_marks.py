"""What the store remembers of a partition beside its pins: pages in hand, commits, dead letters.

One small value a partition for what is in hand (written before pages are read, so that a page that
kills its worker is recognised), one for what was committed (written after each commit, so that a
store restored from a backup is recognised), and one field a dead letter until it is committed.
All of them live on the partition's home shard, and every call may be repeated.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class Partition(NamedTuple):
    """A partition of a topic; equal to Faust's and aiokafka's own."""

    topic: str
    partition: int


@dataclass(frozen=True, slots=True)
class PartitionMarks:
    """What is remembered of a partition.

    `first` to `last` were in hand when the worker was last heard of, for the `tries`-th time;
    everything below `done_below` was committed; `letters` are pinned dead letters by offset.
    """

    first: int = 0
    last: int = -1
    tries: int = 0
    done_below: int = 0
    letters: Mapping[int, bytes] | None = None


class MemoryPageMarks:
    """The marks of one process, for the embedded broker and for tests."""

    def __init__(self) -> None:
        self._marks: dict[Partition, tuple[int, int, int]] = {}
        self._done: dict[Partition, int] = {}
        self._letters: dict[Partition, dict[int, bytes]] = {}

    async def load(self, partition: Partition, incarnation: str) -> PartitionMarks:
        """Return what is remembered of a partition."""
        del incarnation  # nothing here outlives the process, nor does its broker
        first, last, tries = self._marks.get(partition, (0, -1, 0))
        letters = dict(self._letters.get(partition, {}))
        return PartitionMarks(first, last, tries, self._done.get(partition, 0), letters)

    async def mark(self, partition: Partition, first: int, last: int, tries: int) -> None:
        """Remember which offsets are in hand."""
        self._marks[partition] = (first, last, tries)

    async def pin_letters(self, partition: Partition, letters: Mapping[int, bytes]) -> Mapping[int, bytes]:
        """Pin dead letters; the first pin of an offset stays."""
        pinned = self._letters.setdefault(partition, {})
        for offset, letter in letters.items():
            pinned.setdefault(offset, letter)
        return {offset: pinned[offset] for offset in letters}

    async def trim(self, committed: Mapping[Partition, int]) -> None:
        """Forget letters below the committed offsets, and remember those offsets."""
        for partition, offset in committed.items():
            self._done[partition] = offset
            pinned = self._letters.get(partition, {})
            for old in [old for old in pinned if old < offset]:
                del pinned[old]
