"""The demo's stream: the worker's own agents on the embedded broker, with a real Valkey beside them."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson

from hss_stream.app import create_worker, open_mail_store, open_providers, open_text_store
from hss_stream.lab.crawl_mail import CrawlMail
from hss_stream.lab.crawl_page import CrawlPage
from hss_stream.observe.health import Health
from hss_stream.settings import Settings
from hss_stream.sources.record import SourceRecord
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.store.open_store import EMBEDDED, make_store
from hss_stream.stream.feed_record import FeedRecord, mail_records, page_records
from hss_stream.stream.label_sender import LabelRecord
from hss_stream.stream.memory_log import LogRecord, MemoryLog
from hss_stream.stream.runner import Runner
from hss_stream.stream.topics import Topics

# One partition: the same seed then gives the same clusters and verdicts, run after run.
PARTITIONS = 1
POLL_SECONDS = 0.05
# Outputs are read, and progress is shown, after so many pages.
READ_EVERY = 64


@dataclass
class DemoResult:
    """Everything that came out of the stream."""

    attachments: dict[str, dict[str, Any]] = field(default_factory=dict)
    clusters: dict[str, dict[str, Any]] = field(default_factory=dict)
    providers: dict[str, dict[str, Any]] = field(default_factory=dict)
    alerts: list[dict[str, Any]] = field(default_factory=list)
    letters: list[dict[str, str]] = field(default_factory=list)

    def take(self, topics: Topics, record: LogRecord) -> None:
        """Take one record of an output topic; of a cluster or provider the newest revision stays."""
        if record.topic == topics.dead_letters:
            self.letters.append({name: value.decode(errors="replace") for name, value in record.headers})
        elif record.value is not None:
            event = orjson.loads(record.value)
            if event["event"] == "attachment":
                self.attachments[event["url"]] = event
            elif event["event"] == "cluster":
                self.clusters[event["cluster"]] = event
            elif event["event"] == "nameserver":
                self.providers[event["provider"]] = event
            elif event["event"] == "alert":
                self.alerts.append(event)


class OutputReader:
    """Reads what the agents send, before the embedded broker's ring drops it."""

    def __init__(self, log: MemoryLog, topics: Topics) -> None:
        self.result = DemoResult()
        self._log = log
        self._topics = topics
        self._next: dict[tuple[str, int], int] = {}

    def read(self) -> None:
        """Take all that is new."""
        topics = self._topics
        for topic in (
            topics.attachments, topics.clusters, topics.alerts, topics.nameservers, topics.dead_letters,
        ):  # fmt: skip
            for partition in range(self._log.create(topic)):
                start = self._next.get((topic, partition), 0)
                records = self._log.read(topic, partition, start, 1_000_000)
                for record in records:
                    self.result.take(topics, record)
                self._next[topic, partition] = records[-1].offset + 1 if records else start


def as_source(page: CrawlPage) -> SourceRecord:
    """Return a page of the generated crawl as a crawler would hand it over."""
    return SourceRecord(
        page.url, page.body, "page", page.content_type, page.fetched_at, page.status, page.nameservers
    )


@dataclass
class DemoStream:
    """A running worker on the embedded broker, and what came out of it so far."""

    health: Health
    store: ClusterStore
    texts: ClusterStore
    mails: ClusterStore
    log: MemoryLog
    topics: Topics
    reader: OutputReader
    _sent: int = 0

    @property
    def result(self) -> DemoResult:
        """What came out so far."""
        return self.reader.result

    async def send(
        self, pages: Sequence[CrawlPage], mails: Sequence[CrawlMail], show: Callable[[int], None]
    ) -> None:
        """Send pages and messages, and wait until they are judged; `show` is told how many are."""
        for mail in mails:
            source = SourceRecord("", mail.raw, "mail", None, mail.received_at)
            await self._append(self.topics.mail, mail_records(source, "demo", self._sent), show)
        for page in pages:
            await self._append(self.topics.pages, page_records(as_source(page), "demo", self._sent), show)
        await self._settle(show)

    async def _append(self, topic: str, records: Iterable[FeedRecord], show: Callable[[int], None]) -> None:
        for record in records:
            await self.log.append(topic, record.key, record.value, headers=record.headers)
        self._sent += 1
        if self._sent % READ_EVERY == 0:
            self._tell(show)
            await asyncio.sleep(0)

    async def send_labels(self, labels: Iterable[LabelRecord]) -> None:
        """Send an editor's labels and wait until they are applied."""
        for label in labels:
            await self.log.append(self.topics.labels, label.key, label.to_json())
        await self._settle(lambda _: None)

    async def _settle(self, show: Callable[[int], None]) -> None:
        while self.log.waiting:
            self._tell(show)
            await asyncio.sleep(POLL_SECONDS)
        self._tell(show)

    def _tell(self, show: Callable[[int], None]) -> None:
        self.reader.read()
        show(len(self.result.attachments) + len(self.result.letters))


@asynccontextmanager
async def open_demo_stream(settings: Settings) -> AsyncIterator[DemoStream]:
    """Start the agents and their store; both end with the block."""
    log = MemoryLog(PARTITIONS)
    topics = Topics(settings.topic_prefix)
    # Records may be sent before the worker has taken their topic up.
    for topic in (topics.pages, topics.sites, topics.mail, topics.labels):
        log.consume(topic)
    store = make_store(EMBEDDED, prefix=settings.store.prefix, shards=settings.store.shards)
    await store.open()
    texts, mails = await open_text_store(store), await open_mail_store(store)
    providers = await open_providers(store)
    try:
        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            worker = create_worker(settings, store, threads, log, texts, providers, mails)
            health = Health(worker.metrics)
            runner = Runner(worker.stream, settings.worker, health, worker.metrics, worker.ask_store)
            async with _running(runner):
                yield DemoStream(health, store, texts, mails, log, topics, OutputReader(log, topics))
    finally:
        for opened in (texts, mails, providers, store):
            await opened.close()


@asynccontextmanager
async def _running(runner: Runner) -> AsyncIterator[None]:
    """Run a worker beside the block, as `hss-stream worker` runs it; what ends it early ends the block."""
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(runner.run(stop))
        try:
            yield
        finally:
            stop.set()
