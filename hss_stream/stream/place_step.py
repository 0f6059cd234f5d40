"""The step behind the stream: pages of `hss.pages` into the clusters of the store."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from functools import partial

from hss_stream.observe.metrics import Kind
from hss_stream.signals.page_scan import PageScan, PageScanner
from hss_stream.steps.events import Origin
from hss_stream.steps.judge_pages import JudgePages
from hss_stream.steps.place_page import PlacePages, SourceName
from hss_stream.steps.scan_page import PageToPlace, ScannedPage, scan_to_place
from hss_stream.store.page_marks import Partition
from hss_stream.stream.page_reader import PageInput, PageReader
from hss_stream.stream.page_record import PageFacts
from hss_stream.stream.pieces import read_in_pieces
from hss_stream.stream.step import StepResult


class PartsReader:
    """Scans a large body as its parts arrive."""

    def __init__(self, facts: PageFacts) -> None:
        self._scanner = PageScanner()
        self._scanner.begin(facts.content_type)

    def update(self, chunk: bytes) -> None:
        """Scan the next bytes."""
        self._scanner.update(chunk)

    def finish(self) -> PageScan:
        """Return what the body gave."""
        return self._scanner.finish()


class PlaceStep:
    """Gives pages to `PlacePages`; scans in as many pieces as there are threads."""

    kind: Kind = "page"

    def __init__(self, place: PlacePages | JudgePages, group: str, executor: Executor, threads: int) -> None:
        self._place = place
        self._group = group
        self._executor = executor
        self._threads = threads

    def open_reader(self) -> PageReader:
        """Return a reader that scans large bodies as their parts arrive."""
        return PageReader(PartsReader)

    def _source(self, partition: Partition, incarnation: str = "") -> SourceName:
        return SourceName(self._group, partition.topic, partition.partition, incarnation)

    async def open_source(self, partition: Partition, incarnation: str) -> int:
        """Load the pins of a partition; return its fence."""
        return await self._place.load_pins(self._source(partition, incarnation))

    async def scan(self, partition: Partition, pages: Sequence[PageInput]) -> list[ScannedPage]:
        """Scan pages in threads."""
        wanted = [self._to_place(partition, page) for page in pages]
        scan = partial(scan_to_place, read_signals=self._place.read_signals)
        return await read_in_pieces(scan, wanted, self._executor, self._threads)

    def _to_place(self, partition: Partition, page: PageInput) -> PageToPlace:
        facts = page.facts
        return PageToPlace(
            Origin(self._group, partition.topic, partition.partition, page.offset),
            facts.url,
            facts.at_ms,
            body=page.body or b"",
            scan=page.scan,
            content_type=facts.content_type,
            status=facts.status,
            nameservers=facts.nameservers,
        )

    async def place(self, partition: Partition, scanned: Sequence[ScannedPage]) -> list[StepResult]:
        """Place scanned pages of one partition."""
        del partition
        placements = await self._place.place(scanned)
        return [StepResult(placement.outcome, placement.events) for placement in placements]

    async def trim(self, committed: Mapping[Partition, int]) -> None:
        """Forget the pins of committed pages."""
        for partition, offset in committed.items():
            await self._place.trim(self._source(partition), offset)
