"""Where a partition starts, and what is forgotten once it is committed.

Kafka remembers committed offsets, the store remembers how far it got. They agree unless the store
was restored from a backup, replaced by an empty one, or the topic was made anew; each case has its
rule, and each is said aloud.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hss_stream.errors import StoreError, StreamError
from hss_stream.observe import log
from hss_stream.observe.metrics import Metrics
from hss_stream.store.page_marks import Partition
from hss_stream.stream.options import WorkerSettings
from hss_stream.stream.page_flow import PageFlow
from hss_stream.stream.page_reading import PartitionState
from hss_stream.stream.page_record import PageFacts
from hss_stream.stream.page_step import PageMarks, PageStep
from hss_stream.stream.parts import BodyReader


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
    """Keeps the flow's partition states in step with what Kafka assigns."""

    def __init__(
        self,
        flow: PageFlow,
        step: PageStep,
        marks: PageMarks,
        options: WorkerSettings,
        metrics: Metrics,
        open_reader: Callable[[PageFacts], BodyReader[object]],
    ) -> None:
        self._flow = flow
        self._step = step
        self._marks = marks
        self._options = options
        self._metrics = metrics
        self._open_reader = open_reader
        self._known: dict[Partition, Known] = {}
        self.refused: PositionError | None = None

    async def take(self, partitions: set[Any]) -> None:
        """Load what the store knows; waits while the store is away."""
        for topic, number in sorted(partitions):
            partition = Partition(topic, number)
            while True:
                try:
                    with self._metrics.store_call("load"):
                        await self._load(partition)
                    break
                except StoreError as error:
                    self._flow.worker.waiting_for = "store"
                    log.warn("store_away", problem=str(error))
                    await asyncio.sleep(self._options.retry_seconds)
        self._flow.worker.waiting_for = None

    async def _load(self, partition: Partition) -> None:
        fence = await self._step.open_source(partition)
        marks = await self._marks.load(partition)
        self._known[partition] = Known(fence, marks.done_below)
        self._flow.states[partition] = PartitionState.of_marks(partition, marks, fence, self._open_reader)

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
                await self._step.trim(own)
                await self._marks.trim(own)
        except StoreError as error:
            log.warn("trim_failed", problem=str(error))

    def drop(self, partitions: set[Any]) -> None:
        """Forget partitions that were taken away."""
        for tp in partitions:
            self._known.pop(Partition(*tp), None)
            self._flow.states.pop(Partition(*tp), None)
