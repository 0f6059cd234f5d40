"""The demo's stream: the worker's own agents on the embedded broker, with a real Valkey beside them."""

import asyncio
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import orjson

from hss_stream.app import create_worker, open_text_store
from hss_stream.lab.crawl_page import CrawlPage
from hss_stream.settings import Settings, load_settings
from hss_stream.sources.record import SourceRecord
from hss_stream.store.open_store import EMBEDDED, make_store
from hss_stream.stream.feed_record import page_records
from hss_stream.stream.memory_log import LogRecord, MemoryLog
from hss_stream.stream.topics import Topics

# One partition: the same seed then gives the same clusters and verdicts, run after run.
PARTITIONS = 1
POLL_SECONDS = 0.05


@dataclass
class DemoResult:
    """Everything that came out of the stream."""

    attachments: dict[str, dict[str, Any]] = field(default_factory=dict)
    clusters: dict[str, dict[str, Any]] = field(default_factory=dict)
    alerts: list[dict[str, Any]] = field(default_factory=list)
    letters: list[dict[str, str]] = field(default_factory=list)

    def take(self, topics: Topics, record: LogRecord) -> None:
        """Take one record of an output topic; of a cluster the newest revision stays."""
        if record.topic == topics.dead_letters:
            self.letters.append({name: value.decode(errors="replace") for name, value in record.headers})
        elif record.value is not None:
            event = orjson.loads(record.value)
            if record.topic == topics.attachments:
                self.attachments[event["url"]] = event
            elif record.topic == topics.clusters:
                self.clusters[event["cluster"]] = event
            else:
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
        for topic in (topics.attachments, topics.clusters, topics.alerts, topics.dead_letters):
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


async def stream_crawl(pages: Iterable[CrawlPage], show: Callable[[int], None]) -> DemoResult:
    """Stream pages through the agents and return what came out; `show` is told how many are done."""
    settings: Settings = load_settings().model_copy(update={"broker": "memory://"})
    log = MemoryLog(PARTITIONS)
    reader = OutputReader(log, Topics(settings.topic_prefix))
    store = make_store(EMBEDDED, prefix=settings.store.prefix, shards=settings.store.shards)
    await store.open()
    texts = await open_text_store(store)
    try:
        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            worker = create_worker(settings, store, threads, log, texts)
            await worker.stream.app.start()
            try:
                await _produce(pages, log, reader, show, Topics(settings.topic_prefix).pages)
            finally:
                await worker.stream.app.stop()
    finally:
        await texts.close()
        await store.close()
    reader.read()
    return reader.result


async def _produce(
    pages: Iterable[CrawlPage], log: MemoryLog, reader: OutputReader, show: Callable[[int], None], topic: str
) -> None:
    produced = 0
    for index, page in enumerate(pages):
        for record in page_records(as_source(page), "demo", index):
            await log.append(topic, record.key, record.value, headers=record.headers)
            produced += 1
        if index % 64 == 0:
            reader.read()
            show(_done(log, topic))
            await asyncio.sleep(0)
    while _done(log, topic) < produced:
        reader.read()
        show(_done(log, topic))
        await asyncio.sleep(POLL_SECONDS)


def _done(log: MemoryLog, topic: str) -> int:
    return sum(offset for (name, _), offset in log.committed.items() if name == topic)
