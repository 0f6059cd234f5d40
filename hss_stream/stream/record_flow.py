"""What happens to a batch of records of one topic, from Kafka's hand to its acknowledgement.

    batch 1   mark, read, scan ─▶ place ─▶ send ─▶ settle, acknowledge
    batch 2                       mark, read, scan ─▶ place ─▶ send ─▶ …
    batch 3                                           mark, read, scan ─▶ …

Places are in order, so are sends. The type of an error decides: the store's or Kafka's fault is
waited out, for as long as it takes; anything else isolates the record, tries it a few times alone,
and makes it a dead letter (`partition_work.py`).
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Sequence
from time import perf_counter, time
from typing import TYPE_CHECKING, Any

from hss_stream.observe import log
from hss_stream.store.page_marks import Partition
from hss_stream.stream.partition_work import PartitionJob, WorkerParts
from hss_stream.stream.record import RawRecord
from hss_stream.stream.step import RecordStep

if TYPE_CHECKING:
    from hss_stream.stream.partition_state import PartitionState

# Batches whose output may wait for Kafka while the next is placed.
MAX_SENDING = 2


class RecordFlow:
    """Runs the batches of a topic: each is scanned while the one before is placed, others are sent."""

    def __init__(
        self, parts: WorkerParts, step: RecordStep, settle: Callable[[Partition, Sequence[int]], None]
    ) -> None:
        self._parts = parts
        self._metrics = parts.metrics
        self._settle = settle
        self._placing: asyncio.Task[None] | None = None
        self._sending: deque[asyncio.Task[None]] = deque()
        self.step = step
        self.states: dict[Partition, PartitionState] = {}
        self.last_batch_at = time()
        # What ended a batch for good; the worker has to start again.
        self.failure: BaseException | None = None

    async def run(self, fetched: Sequence[Any], acknowledge: Callable[[], Awaitable[None]]) -> None:
        """Begin a batch; `acknowledge` is called when its output is out and its offsets are settled."""
        batch = Batch(self._jobs(fetched), len(fetched), acknowledge)
        await batch.prepare()
        if self._placing is not None:
            await self._placing
        while len(self._sending) >= MAX_SENDING:
            await self._sending.popleft()
        before = self._sending[-1] if self._sending else None
        self._placing = asyncio.create_task(batch.place())
        sending = asyncio.create_task(self._send(batch, self._placing, before))
        sending.add_done_callback(self._note_end)
        self._sending.append(sending)
        if batch.has_suspects:
            # Nothing else may be in hand beside a record that perhaps kills the process.
            await self._placing

    def _jobs(self, fetched: Sequence[Any]) -> list[PartitionJob]:
        records: dict[Partition, list[RawRecord]] = defaultdict(list)
        for one in fetched:
            record = RawRecord.of_driver(one)
            records[Partition(record.place.topic, record.place.partition)].append(record)
        # A partition taken away meanwhile has no state; its records are somebody else's.
        return [
            PartitionJob(self._parts, self.step, self.states[partition], some)
            for partition, some in records.items()
            if partition in self.states
        ]

    def _note_end(self, sending: asyncio.Task[None]) -> None:
        if not sending.cancelled() and self.failure is None:
            self.failure = sending.exception()

    def cancel(self) -> None:
        """Give up the batches in hand; their records will be delivered again."""
        for task in (self._placing, *self._sending):
            if task is not None:
                task.cancel()

    async def _send(
        self, batch: "Batch", placing: asyncio.Task[None], before: asyncio.Task[None] | None
    ) -> None:
        await placing
        if before is not None:
            await before
        records = [record for job in batch.jobs for record in job.done.records]
        if records:
            with self._metrics.stage("send"):
                await self._parts.patience.wait_out("kafka", lambda: self._parts.sender.send(records))
        for job in batch.jobs:
            for offsets in job.done.settles:
                self._settle(job.state.partition, offsets)
        await batch.acknowledge()
        self._count(batch, len(records))

    def _count(self, batch: "Batch", records: int) -> None:
        self.last_batch_at = time()
        seconds = perf_counter() - batch.started
        self._metrics.batch_done(batch.size, seconds)
        for job in batch.jobs:
            for outcome, timestamp_ms in job.done.outcomes:
                self._metrics.record_done(self.step.kind, outcome, self.last_batch_at - timestamp_ms / 1000)
            for reason in job.done.letters:
                self._metrics.letter_sent(reason)
            for event in job.done.events:
                self._metrics.event_sent(event)
        log.debug("batch_done", kind=self.step.kind, size=batch.size, seconds=round(seconds, 4), sent=records)


class Batch:
    """One batch and what became of it."""

    def __init__(
        self, jobs: list[PartitionJob], size: int, acknowledge: Callable[[], Awaitable[None]]
    ) -> None:
        self.started = perf_counter()
        self.jobs = jobs
        self.size = size
        self.acknowledge = acknowledge

    async def prepare(self) -> None:
        """Mark, read and scan the records."""
        await asyncio.gather(*(job.prepare() for job in self.jobs))

    @property
    def has_suspects(self) -> bool:
        """Whether some records were in hand when a worker ended."""
        return any(job.has_suspects for job in self.jobs)

    async def place(self) -> None:
        """Place the records; suspects one at a time, over all partitions."""
        if self.has_suspects:
            for job in self.jobs:
                await job.place()
        else:
            await asyncio.gather(*(job.place() for job in self.jobs))
