"""The work on the records of one partition in one batch, and what is done when it goes wrong.

A record that raises is tried alone; records that were in hand when a worker ended are suspects and are
tried alone from the start, with their tries counted in the store. After enough tries a record is a
dead letter (`failed`), and the partition goes on.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hss_stream.observe import log
from hss_stream.observe.metrics import Metrics
from hss_stream.steps.events import Origin, event_id, rfc3339
from hss_stream.stream.dead_letter import Verdict, error_text, letter_headers
from hss_stream.stream.gate import Gate
from hss_stream.stream.options import WorkerSettings
from hss_stream.stream.partition_state import PartitionState
from hss_stream.stream.patience import Patience, own_fault
from hss_stream.stream.record import RawRecord
from hss_stream.stream.step import OutRecord, RecordMarks, RecordSender, RecordStep, StepResult
from hss_stream.stream.topics import Topics
from hss_stream.stream.work import ItemWork, LetterWork, Work, dead


@dataclass(frozen=True)
class WorkerParts:
    """What all topics of a worker share."""

    marks: RecordMarks
    sender: RecordSender
    topics: Topics
    group: str
    options: WorkerSettings
    metrics: Metrics
    patience: Patience
    gate: Gate


@dataclass
class Done:
    """What the records of a partition came to."""

    records: list[OutRecord] = field(default_factory=list)
    settles: list[tuple[int, ...]] = field(default_factory=list)
    outcomes: list[tuple[str, int]] = field(default_factory=list)
    letters: list[str] = field(default_factory=list)
    events: list[Mapping[str, Any]] = field(default_factory=list)


class PartitionJob:
    """The records of one partition in one batch: `prepare`, then `place`, then look at `done`."""

    def __init__(
        self, parts: WorkerParts, step: RecordStep, state: PartitionState, records: list[RawRecord]
    ) -> None:
        self._parts = parts
        self._step = step
        self._records = records
        self._works: Sequence[Work] = ()
        self._scanned: Sequence[Any] | None = None
        self.state = state
        self.done = Done()

    @property
    def has_suspects(self) -> bool:
        """Whether some records were in hand when a worker ended."""
        return any(self.state.is_suspect(record.place.offset) for record in self._records)

    async def _mark(self, first: int, last: int, tries: int) -> None:
        marks, partition = self._parts.marks, self.state.partition
        with self._parts.metrics.stage("mark"):
            await self._parts.patience.wait_out("store", lambda: marks.mark(partition, first, last, tries))

    def _failed(self, error: Exception, records: int) -> None:
        topic, partition = self.state.partition
        log.warn("record_failed", error=error, records=records, topic=topic, partition=partition)

    # Together.

    async def prepare(self) -> None:
        """Mark, read and scan all records, unless some have to be tried alone."""
        if self.has_suspects:
            return
        async with self._parts.gate.together():
            # Records of the batch before may still be on their way into the store: in hand as well.
            self.state.in_hand.append((self._records[0].place.offset, self._records[-1].place.offset))
            await self._mark(*self.state.span_in_hand(), 0)
            with self._parts.metrics.stage("read"):
                self._works = await asyncio.to_thread(self.state.read, self._records)
                items = [work.item for work in self._items(self._works)]
                scanned = await own_fault(lambda: self._step.scan(self.state.partition, items))
            if isinstance(scanned, Exception):
                self._failed(scanned, len(items))
            else:
                self._scanned = scanned

    async def place(self) -> None:
        """Place what was prepared, and everything that has to be tried alone."""
        if self.has_suspects:
            for record in self._records:
                await self._work_alone(record)
        else:
            await self._take(self._works, await self._place(self._items(self._works)))
            self.state.in_hand.popleft()

    def _items(self, works: Sequence[Work]) -> list[ItemWork]:
        """Return what is to be placed: records whose dead letter is pinned stay dead."""
        items = (work for work in works if isinstance(work, ItemWork))
        return [work for work in items if work.offset not in self.state.letters]

    async def _place(self, works: Sequence[ItemWork]) -> Sequence[StepResult | Verdict]:
        if not works:
            return []
        scanned = self._scanned
        if scanned is not None:
            with self._parts.metrics.stage("place"):
                async with self._parts.gate.together():
                    results = await own_fault(lambda: self._place_scanned(scanned))
            if not isinstance(results, Exception):
                return results
            self._failed(results, len(works))
        return [await self._place_alone(work) for work in works]

    async def _place_scanned(self, scanned: Sequence[Any]) -> Sequence[StepResult]:
        step, partition = self._step, self.state.partition
        return await self._parts.patience.wait_out("store", lambda: step.place(partition, scanned))

    # Alone.

    async def _place_alone(self, work: ItemWork) -> StepResult | Verdict:
        async with self._parts.gate.alone():
            result = await self._try(work, 0)
            await self._mark(*self.state.span_in_hand(), 0)
        return result

    async def _work_alone(self, record: RawRecord) -> None:
        offset = record.place.offset
        tries = self.state.earlier_tries(offset)
        if tries >= self._parts.options.attempts:
            text = "WorkerEnded: the worker ended each time it read this record"
            at_ms = self.state.reader.time_of(record)
            await self._take([dead(record, at_ms, Verdict("failed", text, tries), (offset,))], [])
            return
        async with self._parts.gate.alone():
            await self._mark(offset, offset, tries + 1)
            works = await asyncio.to_thread(self.state.read, [record])
            results = [await self._try(work, tries) for work in self._items(works)]
            # It did not kill us: a later death is not its doing.
            await self._mark(*self.state.span_in_hand(), 0)
        await self._take(works, results)

    async def _try(self, work: ItemWork, tries: int) -> StepResult | Verdict:
        """Place one item, in as many attempts as are left after earlier ones."""
        verdict = Verdict("failed", "", 0)
        for attempt in range(tries + 1, self._parts.options.attempts + 1):
            await self._mark(work.offset, work.offset, attempt)
            results = await own_fault(lambda: self._scan_and_place(work))
            if not isinstance(results, Exception):
                return results[0]
            self._failed(results, 1)
            self._parts.metrics.tried_again("page")
            verdict = Verdict("failed", error_text(results), attempt)
        return verdict

    async def _scan_and_place(self, work: ItemWork) -> Sequence[StepResult]:
        return await self._place_scanned(await self._step.scan(self.state.partition, [work.item]))

    # What came of it.

    async def _take(self, works: Sequence[Work], results: Sequence[StepResult | Verdict]) -> None:
        items = self._items(works)
        found = {work.offset: result for work, result in zip(items, results, strict=True)}
        letters: list[LetterWork] = []
        for work in works:
            if work.settles:
                self.done.settles.append(work.settles)
            if isinstance(work, LetterWork):
                letters.append(work)
            elif isinstance(work, ItemWork):
                result = found.get(work.offset)
                if isinstance(result, StepResult):
                    self._add(result, work)
                else:
                    # Without a result its letter is pinned already, and this verdict counts for nothing.
                    at_ms = self.state.reader.time_of(work.record)
                    verdict = result or Verdict("failed", "", 0)
                    letters.append(dead(work.record, at_ms, verdict, work.settles))
        await self._add_letters(letters)

    def _add(self, result: StepResult, work: ItemWork) -> None:
        self.done.outcomes.append((result.outcome, work.record.timestamp_ms))
        for event in result.events:
            value = None if event.body is None else event.encode()
            if event.body is not None:
                self.done.events.append(event.body)
            topic = self._parts.topics.of_event(event.kind)
            self.done.records.append(OutRecord(topic, event.key.encode(), value))
        self.done.records.extend(result.records)

    async def _add_letters(self, letters: Sequence[LetterWork]) -> None:
        if not letters:
            return
        marks, partition = self._parts.marks, self.state.partition
        wanted = {work.kept.place.offset: work.verdict.to_bytes() for work in letters}
        pinned = await self._parts.patience.wait_out("store", lambda: marks.pin_letters(partition, wanted))
        for work in letters:
            verdict = Verdict.from_bytes(pinned[work.kept.place.offset])
            origin = Origin(self._parts.group, *partition, work.kept.place.offset)
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
