"""The work on the pages of one partition in one batch, and what is done when it goes wrong.

A page that raises is tried alone; pages that were in hand when a worker ended are suspects and are
tried alone from the start, with their tries counted in the store. After enough tries a page is a
dead letter (`failed`), and the partition goes on.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hss_stream.errors import StoreError, StreamError
from hss_stream.observe import log
from hss_stream.observe.metrics import Cause, Metrics
from hss_stream.steps.events import Origin, event_id, rfc3339
from hss_stream.store.failures import StoreMismatchError, StoreWentBackError
from hss_stream.store.page_marks import Partition
from hss_stream.stream.dead_letter import Verdict, error_text, letter_headers
from hss_stream.stream.options import WorkerSettings
from hss_stream.stream.page_reading import LetterWork, PageWork, PartitionState, Work, rejected
from hss_stream.stream.page_record import RawRecord
from hss_stream.stream.page_step import OutRecord, PageMarks, PageStep, PlacedPage, RecordSender
from hss_stream.stream.topics import Topics

FIRST_PAUSE_SECONDS = 0.05
# Waiting would not help: the worker has to start again, or somebody has to look.
FATAL = (StoreWentBackError, StoreMismatchError)
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class FlowParts:
    """What a flow is made of."""

    step: PageStep
    marks: PageMarks
    sender: RecordSender
    topics: Topics
    group: str
    options: WorkerSettings
    metrics: Metrics


@dataclass
class Done:
    """What the pages of a partition came to."""

    records: list[OutRecord] = field(default_factory=list)
    settles: list[tuple[int, ...]] = field(default_factory=list)
    outcomes: list[tuple[str, int]] = field(default_factory=list)
    letters: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)


class PageWorker:
    """What all jobs share: the parts, and patience."""

    def __init__(self, parts: FlowParts) -> None:
        self.parts = parts
        self.waiting_for: Cause | None = None

    def job(self, state: PartitionState, records: list[RawRecord]) -> "PartitionJob":
        """Return the work on some records of a partition."""
        return PartitionJob(self, state, records)

    async def patiently(self, cause: Cause, act: Callable[[], Awaitable[Answer]]) -> Answer:
        """Do something of the store or Kafka until it works; only cancelling ends it."""
        longest = self.parts.options.retry_seconds
        for power in itertools.count():
            try:
                answer = await act()
            except FATAL:
                raise
            except (StoreError, StreamError) as error:
                if self.waiting_for is None:
                    log.warn("store_away" if cause == "store" else "kafka_away", problem=str(error))
                self.waiting_for = cause
                self.parts.metrics.tried_again(cause)
                await asyncio.sleep(min(FIRST_PAUSE_SECONDS * 2 ** min(power, 20), longest))
            else:
                self.waiting_for = None
                return answer
        raise AssertionError("unreachable")

    async def mark(self, partition: Partition, first: int, last: int, tries: int) -> None:
        """Say in the store what is in hand."""
        with self.parts.metrics.stage("mark"):
            await self.patiently("store", lambda: self.parts.marks.mark(partition, first, last, tries))


class PartitionJob:
    """The records of one partition in one batch: `prepare`, then `place`, then look at `done`."""

    def __init__(self, worker: PageWorker, state: PartitionState, records: list[RawRecord]) -> None:
        self._worker = worker
        self._parts = worker.parts
        self._records = records
        self._works: Sequence[Work] = ()
        self._scanned: Sequence[Any] | None = None
        self.state = state
        self.done = Done()

    @property
    def has_suspects(self) -> bool:
        """Whether some records were in hand when a worker ended."""
        return any(self.state.is_suspect(record.place.offset) for record in self._records)

    # Together.

    async def prepare(self) -> None:
        """Mark, read and scan all records, unless some have to be tried alone."""
        if self.has_suspects:
            return
        first, last = self._records[0].place.offset, self._records[-1].place.offset
        # Pages of the batch before may still be on their way into the store: they are in hand as well.
        self.state.in_hand.append(first)
        await self._worker.mark(self.state.partition, self.state.in_hand[0], last, 0)
        with self._parts.metrics.stage("read"):
            self._works = await asyncio.to_thread(self.state.read, self._records)
            self._scanned = await self._scan(self._pages(self._works))

    async def place(self) -> None:
        """Place what was prepared, and everything that has to be tried alone."""
        if self.has_suspects:
            for record in self._records:
                await self._work_alone(record)
        else:
            await self._apply(self._works, self._scanned)
            self.state.in_hand.popleft()

    def _pages(self, works: Sequence[Work]) -> list[PageWork]:
        """Return the pages to place: those whose dead letter is pinned stay dead."""
        pages = (work for work in works if isinstance(work, PageWork))
        return [work for work in pages if work.page.offset not in self.state.letters]

    async def _scan(self, works: Sequence[PageWork]) -> Sequence[Any] | None:
        try:
            return await self._parts.step.scan(self.state.partition, [work.page for work in works])
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one page must not stop the others
            log.warn("page_failed", error=error, pages=len(works), partition=self.state.partition.partition)
            return None

    async def _apply(self, works: Sequence[Work], scanned: Sequence[Any] | None, tries: int = 0) -> None:
        pages = self._pages(works)
        with self._parts.metrics.stage("place"):
            answers = await self._place(pages, scanned, tries)
        placed = {work.page.offset: answer for work, answer in zip(pages, answers, strict=True)}
        letters: list[LetterWork] = []
        for work in works:
            if work.settles:
                self.done.settles.append(work.settles)
            if isinstance(work, LetterWork):
                letters.append(work)
            elif isinstance(work, PageWork):
                answer = placed.get(work.page.offset)
                if isinstance(answer, PlacedPage):
                    self._take(answer, work)
                else:
                    # Without an answer its letter is pinned already, and this verdict counts for nothing.
                    letters.append(rejected(work.record, answer or Verdict("failed", "", 0), work.settles))
        await self._add_letters(letters)

    def _take(self, answer: PlacedPage, work: PageWork) -> None:
        self.done.outcomes.append((answer.outcome, work.record.timestamp_ms))
        for event in answer.events:
            value = None if event.body is None else event.encode()
            if event.kind == "cluster" and event.body is not None:
                self.done.changes.append(event.body["change"])
            topic = self._parts.topics.of_event(event.kind)
            self.done.records.append(OutRecord(topic, event.key.encode(), value))

    async def _place(
        self, works: Sequence[PageWork], scanned: Sequence[Any] | None, tries: int
    ) -> Sequence[PlacedPage | Verdict]:
        if not works:
            return []
        step, partition = self._parts.step, self.state.partition
        if scanned is not None:
            try:
                return await self._worker.patiently("store", lambda: step.place(partition, scanned))
            except FATAL:
                raise
            except Exception as error:  # noqa: BLE001 - one page's fault must not stop the others
                log.warn("page_failed", error=error, pages=len(works), partition=partition.partition)
        return [await self._place_alone(work, tries) for work in works]

    # Alone.

    async def _work_alone(self, record: RawRecord) -> None:
        offset = record.place.offset
        tries = self.state.earlier_tries(offset)
        if tries >= self._parts.options.attempts:
            text = "WorkerEnded: the worker ended each time it read this record"
            await self._apply([rejected(record, Verdict("failed", text, tries), (offset,))], [])
            return
        await self._worker.mark(self.state.partition, offset, offset, tries + 1)
        await self._apply(await asyncio.to_thread(self.state.read, [record]), None, tries)
        # It did not kill us: a later death is not its doing.
        await self._worker.mark(self.state.partition, offset + 1, offset, 0)

    async def _place_alone(self, work: PageWork, tries: int) -> PlacedPage | Verdict:
        offset = work.page.offset
        verdict = Verdict("failed", "", 0)
        for attempt in range(tries + 1, self._parts.options.attempts + 1):
            await self._worker.mark(self.state.partition, offset, offset, attempt)
            answer = await self._scan_and_place(work)
            if isinstance(answer, PlacedPage):
                return answer
            self._parts.metrics.tried_again("page")
            verdict = Verdict("failed", error_text(answer), attempt)
        return verdict

    async def _scan_and_place(self, work: PageWork) -> PlacedPage | Exception:
        step, partition = self._parts.step, self.state.partition
        try:
            scanned = await step.scan(partition, [work.page])
            placed = await self._worker.patiently("store", lambda: step.place(partition, scanned))
        except FATAL:
            raise
        except Exception as error:  # noqa: BLE001 - the page's own fault, of whatever kind
            return error
        return placed[0]

    # Dead letters.

    async def _add_letters(self, letters: Sequence[LetterWork]) -> None:
        if not letters:
            return
        marks, partition = self._parts.marks, self.state.partition
        wanted = {work.kept.place.offset: work.verdict.to_bytes() for work in letters}
        pinned = await self._worker.patiently("store", lambda: marks.pin_letters(partition, wanted))
        for work in letters:
            verdict = Verdict.from_bytes(pinned[work.kept.place.offset])
            origin = Origin(self._parts.group, *_parts_of(work))
            self.done.records.append(self._letter(work, verdict, origin))
            self.done.letters.append(verdict.reason)
            log.info("dead_letter", reason=verdict.reason, error=verdict.error, origin=origin.to_header())

    def _letter(self, work: LetterWork, verdict: Verdict, origin: Origin) -> OutRecord:
        headers = letter_headers(
            work.kept,
            verdict,
            letter_id=event_id(*origin, "dead_letter", "", ""),
            origin=origin.to_header(),
            at=rfc3339(work.at_ms),
        )
        return OutRecord(self._parts.topics.dead_letters, work.kept.key, work.kept.value, headers)


def _parts_of(work: LetterWork) -> tuple[str, int, int]:
    place = work.kept.place
    return place.topic, place.partition, place.offset
