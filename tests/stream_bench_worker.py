"""One process of the bench `stream`: a consumer of the given kind that ends when it has seen enough.

    python -m tests.stream_bench_worker KIND PAGES      (where and what from HSS_… variables)

Kinds: `all` and `style` (our worker's stream with these signals), `noop` (a Faust agent with the same
consumer that forwards 1 KB), `aiokafka` (a bare loop that forwards 1 KB). Prints seconds of CPU and of
the clock from the first page to the last.
"""

import asyncio
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import uvloop
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from hss_stream.app import create_worker, open_providers, open_text_store
from hss_stream.observe.metrics import Metrics
from hss_stream.settings import load_settings
from hss_stream.signals.page_scan import scan_page
from hss_stream.store.open_store import make_store
from hss_stream.stream.faust_app import create_faust_app
from hss_stream.stream.senders import KafkaSender
from hss_stream.stream.step import OutRecord
from hss_stream.stream.topics import Topics

FORWARDED = b"x" * 1024


class Clock:
    """Counts pages and remembers when the first and the last came."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.count, self.first, self.last = wanted, 0, 0.0, 0.0
        self.cpu_first = self.cpu_last = 0.0
        self.full = asyncio.Event()

    def add(self, count: int) -> None:
        """Count pages."""
        self.last, self.cpu_last = time.perf_counter(), time.process_time()
        self.first = self.first or self.last
        self.cpu_first = self.cpu_first or self.cpu_last
        self.count += count
        if self.count >= self.wanted:
            self.full.set()


def counting(sender, clock: Clock):
    """Count the attachments a sender has sent."""
    send = sender.send

    async def send_and_count(records) -> None:
        await send(records)
        clock.add(sum(record.topic.endswith("attachments") for record in records))

    sender.send = send_and_count


async def run_ours(settings, clock: Clock) -> None:
    """Run the worker's stream with the real step on a Valkey."""
    store = make_store(settings.redis)
    await store.open()
    whole = settings.worker.signals == "all"
    texts = await open_text_store(store) if whole else None
    providers = await open_providers(store) if whole else None
    with ThreadPoolExecutor(settings.worker.scan_threads) as pool:
        await asyncio.get_running_loop().run_in_executor(pool, scan_page, b"<p>")
        worker = create_worker(settings, store, pool, texts=texts, providers=providers)
        counting(worker.stream.parts.sender, clock)
        await worker.stream.app.start()
        await clock.full.wait()
        await worker.stream.app.stop()
    for opened in (texts, providers):
        if opened is not None:
            await opened.close()
    await store.close()


class NoKeeper:
    """Remembers nothing."""

    async def take(self, partitions) -> None:
        """Load nothing."""

    async def starts(self, committed, ends):
        """Start where it was committed."""
        del committed, ends
        return {}

    async def committed(self, offsets) -> None:
        """Forget nothing."""

    def drop(self, partitions) -> None:
        """Forget nothing."""


async def run_noop(settings, clock: Clock) -> None:
    """Run a no-op agent with our consumer: takes the pages, forwards 1 KB each, awaited once a batch."""
    topics = Topics(settings.topic_prefix)
    app = create_faust_app(settings.group, settings.broker, settings.kafka, settings.worker, Metrics())
    app.keeper = NoKeeper()
    sender = KafkaSender(app)
    counting(sender, clock)

    @app.agent(app.topic(topics.pages, key_type=bytes, value_type=bytes), name="noop")
    async def noop(events_stream) -> None:
        options = settings.worker
        async for events in events_stream.noack_take(options.batch_pages, 0.02):
            await sender.send(
                [OutRecord(topics.attachments, event.message.key, FORWARDED) for event in events]
            )
            for event in events:
                app.consumer.settle(event.message.tp, (event.message.offset,))
                await events_stream.ack(event)

    await app.start()
    await clock.full.wait()
    await app.stop()


async def run_aiokafka(settings, clock: Clock) -> None:
    """Run a bare loop."""
    topics = Topics(settings.topic_prefix)
    servers = settings.broker.removeprefix("kafka://")
    consumer = AIOKafkaConsumer(
        topics.pages, bootstrap_servers=servers, group_id=settings.group, enable_auto_commit=False,
        auto_offset_reset="earliest",
    )  # fmt: skip
    producer = AIOKafkaProducer(bootstrap_servers=servers, enable_idempotence=True, linger_ms=1)
    await producer.start()
    await consumer.start()
    while not clock.full.is_set():
        got = await consumer.getmany(timeout_ms=100, max_records=64)
        records = [record for some in got.values() for record in some]
        sent = [await producer.send(topics.attachments, FORWARDED, record.key) for record in records]
        await asyncio.gather(*sent)
        if records:
            clock.add(len(records))
            await consumer.commit()
    await consumer.stop()
    await producer.stop()


RUNS = {"style": run_ours, "all": run_ours, "noop": run_noop, "aiokafka": run_aiokafka}


async def main() -> None:
    """Run one kind."""
    clock = Clock(int(sys.argv[2]))
    kind = sys.argv[1]
    if kind in {"all", "style"}:
        os.environ["HSS_WORKER__SIGNALS"] = kind
    await RUNS[kind](load_settings(), clock)
    sys.stdout.write(f"{clock.cpu_last - clock.cpu_first} {clock.last - clock.first}\n")


if __name__ == "__main__":
    uvloop.run(main())
