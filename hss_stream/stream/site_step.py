"""The step behind `hss.sites`: evidence about providers into their states, changes out."""

from collections.abc import Mapping, Sequence

from hss_stream.errors import BadPageError
from hss_stream.observe.metrics import Kind, Metrics
from hss_stream.steps.judge_nameservers import JudgeNameservers, PlacedRecord
from hss_stream.steps.site_record import SiteRecord
from hss_stream.store.page_marks import Partition
from hss_stream.stream.record import RawRecord, RejectedRecordError
from hss_stream.stream.step import StepResult
from hss_stream.stream.work import OneByOne


def _parse(record: RawRecord) -> PlacedRecord:
    try:
        return PlacedRecord(record.place.offset, SiteRecord.from_bytes(record.value))
    except BadPageError as error:
        raise RejectedRecordError("unreadable", str(error)) from error


class SiteStep:
    """Gives the records of a partition to `JudgeNameservers`; a provider has one partition, so one writer."""

    kind: Kind = "site"

    def __init__(self, judge: JudgeNameservers, group: str, metrics: Metrics) -> None:
        self._judge = judge
        self._store = judge.store
        self._group = group
        self._metrics = metrics
        self._numbers: dict[Partition, int] = {}

    def open_reader(self) -> OneByOne:
        """Return a reader of site records."""
        return OneByOne(_parse)

    async def open_source(self, partition: Partition, incarnation: str) -> int:
        """Return the last offset of a partition that is applied."""
        number = await self._store.source_number(self._group, *partition, incarnation)
        self._numbers[partition] = number
        return await self._store.reached(number)

    async def scan(self, partition: Partition, items: Sequence[PlacedRecord]) -> Sequence[PlacedRecord]:
        """Return the records: reading them was all."""
        del partition
        return items

    async def place(self, partition: Partition, scanned: Sequence[PlacedRecord]) -> list[StepResult]:
        """Apply records of one partition."""
        if not scanned:
            return []
        number = self._numbers[partition]
        events = await self._judge(number, scanned)
        await self._store.set_reached(number, scanned[-1].offset)
        counts = self._judge.take_counts()
        self._metrics.providers_judged(counts.states, counts.calls)
        return [StepResult(one.record.kind, made) for one, made in zip(scanned, events, strict=True)]

    async def trim(self, committed: Mapping[Partition, int]) -> None:
        """Forget the events of committed records."""
        for partition, offset in committed.items():
            if partition in self._numbers:
                await self._store.trim(self._numbers[partition], offset)
