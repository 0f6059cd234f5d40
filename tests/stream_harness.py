"""A worker on the embedded broker with a stand-in step: what tests of the stream start and stop."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from hss_stream.errors import StoreError
from hss_stream.observe.metrics import Metrics
from hss_stream.steps.events import Origin, make_event
from hss_stream.store.page_marks import MemoryPageMarks, Partition
from hss_stream.stream.memory_log import MemoryLog
from hss_stream.stream.options import KafkaSettings, WorkerSettings
from hss_stream.stream.page_reader import PageInput, PageReader
from hss_stream.stream.record_stream import StreamSetup, create_stream
from hss_stream.stream.step import StepResult
from hss_stream.stream.topics import Topics


class JoiningReader:
    """Reads a body by keeping it."""

    def __init__(self) -> None:
        self.body = bytearray()

    def update(self, chunk: bytes) -> None:
        """Keep bytes."""
        self.body += chunk

    def finish(self) -> bytes:
        """Return all bytes."""
        return bytes(self.body)


class StandInStep:
    """Counts pages once by a high-water fence and pins, as the real step does, and can be made to fail."""

    kind = "page"

    def __init__(self) -> None:
        self.fences: dict[Partition, int] = {}
        self.counted: dict[tuple[Partition, int], str] = {}
        self.bodies: dict[str, bytes] = {}
        self.poison: set[str] = set()
        self.away = False
        self.calls = 0

    def open_reader(self) -> PageReader:
        """Return a reader that keeps large bodies."""
        return PageReader(lambda _: JoiningReader())

    async def open_source(self, partition: Partition, incarnation: str) -> int:
        """Return the fence."""
        del incarnation
        return self.fences.get(partition, -1)

    async def scan(self, partition: Partition, pages: Sequence[PageInput]) -> list[PageInput]:
        """Scan nothing."""
        del partition
        return list(pages)

    async def place(self, partition: Partition, pages: Sequence[PageInput]) -> list[StepResult]:
        """Count pages above the fence and give each its attachment."""
        self.calls += 1
        if self.away:
            raise StoreError("placing pages: the store is away; it will be tried again")
        if any(page.facts.url in self.poison for page in pages):
            raise ValueError("poison")
        placed = []
        for page in pages:
            self.counted[partition, page.offset] = page.facts.url
            self.bodies[page.facts.url] = page.scan if page.body is None else page.body
            origin = Origin("hss", partition.topic, partition.partition, page.offset)
            fields = {"url": page.facts.url, "outcome": "opened"}
            event = make_event(
                "attachment", origin, page.facts.at_ms, page.facts.url, "", page.facts.url, **fields
            )
            placed.append(StepResult("opened", [event]))
        self.fences[partition] = max(self.fences.get(partition, -1), pages[-1].offset)
        return placed

    async def trim(self, committed: Mapping[Partition, int]) -> None:
        """Forget nothing."""


class Harness:
    """A log that outlives its workers, and one worker at a time."""

    def __init__(self, **options: object) -> None:
        self.log = MemoryLog(partitions=2)
        self.step = StandInStep()
        self.more_steps: dict[str, object] = {}
        self.marks = MemoryPageMarks()
        self.metrics = Metrics()
        self.options = WorkerSettings(**{"retry_seconds": 0.05, "drain_seconds": 1.0, **options})
        self.app = None
        self.produced = 0

    async def start(self) -> None:
        """Start a worker."""
        setup = StreamSetup("hss", "memory://", Topics(), KafkaSettings(), self.options)
        steps = {"hss.pages": self.step, **self.more_steps}
        self.stream = create_stream(setup, steps, self.marks, self.metrics, self.log)
        self.app = self.stream.app
        self.app.conf.broker_commit_interval = 0.05
        await self.app.start()

    async def stop(self) -> None:
        """Stop the worker, if one runs."""
        if self.app is not None:
            await self.app.stop()
            self.app = None

    async def produce(self, url: str, body: bytes | None, **more: str) -> None:
        """Append a page."""
        self.produced += 1
        await self.log.append("hss.pages", url.encode(), body, headers=page_headers(url, **more))

    def committed(self) -> int:
        """Return how many records are committed, over all partitions."""
        return sum(offset for (topic, _), offset in self.log.committed.items() if topic == "hss.pages")

    async def wait_committed(self, count: int) -> None:
        """Wait until that many records are committed."""
        await self.wait_for(lambda: self.committed() >= count)

    @staticmethod
    async def wait_for(condition: Callable[[], bool]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(30):
            while not condition():  # noqa: ASYNC110 - conditions of tests have no events
                await asyncio.sleep(0.01)


def page_headers(url: str, **more: str) -> tuple[tuple[str, bytes], ...]:
    """Return the headers of a page; underscores in names become dashes."""
    headers = {"url": url, "format": "1", **{name.replace("_", "-"): value for name, value in more.items()}}
    return tuple((name, value.encode()) for name, value in headers.items())
