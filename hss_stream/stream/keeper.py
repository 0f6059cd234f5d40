"""Where a partition starts, and what is forgotten once it is committed.

Kafka remembers committed offsets, the store remembers how far it got. They agree unless the store
was restored from a backup, replaced by an empty one, or the topic was made anew; each case has its
rule, and each is said aloud.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from hss_stream.errors import StoreError, StreamError
from hss_stream.observe import log
from hss_stream.store.page_marks import Partition
from hss_stream.stream.partition_state import PartitionState
from hss_stream.stream.partition_work import WorkerParts
from hss_stream.stream.record_flow import RecordFlow


class PositionError(StreamError):
    """Kafka and the store contradict each other; going on would lose or repeat pages."""


@dataclass(frozen=True, slots=True)
class Known:
    """How far the store got with a partition: last pinned offset (-1: none), and what was committed."""

    fence: int
    done_below: int

    @property
    def reached(self) -> int:
        """The first offset the store knows nothing about."""
        return max(self.fence + 1, self.done_below)


def start_position(name: str, committed: int | None, known: Known, end: int, *, adopt: bool) -> int | None:
    """Return where to start a partition instead of where it was committed; None to start there.

    A store behind the committed offset went back: everything since its own last commit is read again.
    """
    if known.reached > end:
        raise PositionError(
            f"starting {name}: the store knows offsets to {known.reached - 1}, the partition ends at {end}; "
            "the topic was made anew: set HSS_GROUP to a new name"
        )
    if committed is None or known.reached >= committed:
        return None
    if known.reached > 0:
        return known.done_below
    if committed > 0 and not adopt:
        raise PositionError(
            f"starting {name}: offset {committed} is committed, but the store knows nothing of it; restore "
            "the store, or set HSS_WORKER__ADOPT_OFFSETS=true to go on with an empty one"
        )
    return None


class Keeper:
    """Keeps the flows' partition states in step with what Kafka assigns."""

    def __init__(
        self,
        flows: Mapping[str, RecordFlow],
        parts: WorkerParts,
        incarnations: Callable[[], Awaitable[Mapping[str, str]]],
    ) -> None:
        self._flows = flows
        self._marks = parts.marks
        self._options = parts.options
        self._metrics = parts.metrics
        self._patience = parts.patience
        self._incarnations = incarnations
        self._known: dict[Partition, Known] = {}
        self.refused: PositionError | None = None

    async def take(self, partitions: set[Any]) -> None:
        """Load what the store knows; waits while the store is away."""
        found = await self._patience.wait_out("kafka", self._incarnations)
        for topic, number in sorted(partitions):
            load = partial(self._load, Partition(topic, number), found.get(topic, ""))
            await self._patience.wait_out("store", load)

    async def _load(self, partition: Partition, incarnation: str) -> None:
        flow = self._flows[partition.topic]
        with self._metrics.store_call("load"):
            fence = await flow.step.open_source(partition, incarnation)
            marks = await self._marks.load(partition, incarnation)
        self._known[partition] = Known(fence, marks.done_below)
        reader = flow.step.open_reader()
        flow.states[partition] = PartitionState.of_marks(partition, marks, fence, reader)

    async def starts(self, committed: Mapping[Any, int | None], ends: Mapping[Any, int]) -> dict[Any, int]:
        """Return where to start the partitions that must not start where they were committed."""
        found: dict[Any, int] = {}
        adopt = self._options.adopt_offsets
        for tp, offset in committed.items():
            known = self._known.get(Partition(*tp), Known(-1, 0))
            name = f"{tp.topic}/{tp.partition}"
            try:
                start = start_position(name, offset, known, ends[tp], adopt=adopt)
            except PositionError as error:
                self.refused = error
                raise
            if start is not None and offset is not None:
                found[tp] = start
                self._metrics.store_went_back(offset - start)
                log.warn("store_went_back", partition=name, committed=offset, start=start)
            elif offset and known.reached == 0:
                log.warn("offsets_adopted", partition=name, committed=offset)
        return found

    async def committed(self, offsets: Mapping[Any, int]) -> None:
        """Forget what is kept for committed offsets; a failure is made good by the next commit."""
        own = {Partition(*tp): offset for tp, offset in offsets.items()}
        try:
            with self._metrics.store_call("trim"):
                for topic, flow in self._flows.items():
                    mine = {key: offset for key, offset in own.items() if key.topic == topic}
                    if mine:
                        await flow.step.trim(mine)
                await self._marks.trim(own)
        except StoreError as error:
            log.warn("trim_failed", problem=str(error))

    def drop(self, partitions: set[Any]) -> None:
        """Forget partitions that were taken away."""
        for tp in partitions:
            self._known.pop(Partition(*tp), None)
            self._flows[tp.topic].states.pop(Partition(*tp), None)
