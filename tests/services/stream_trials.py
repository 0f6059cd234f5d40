"""Trials of a running stream that take too long for every day; each prints one JSON line.

    python -m tests.services.stream_trials latency --rate 400 --seconds 30
    python -m tests.services.stream_trials memory
    python -m tests.services.stream_trials join --rate 200
    python -m tests.services.stream_trials restore --pages 10000
    python -m tests.services.stream_trials outage --seconds 60

A trial ends with 1 if a page was lost or counted twice. Pages are real ones where `EVALUATION_DATA` names
them; kills have a file of their own (`stream_kills.py`).
"""

import argparse
import asyncio
import json
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from tests.bench.bench_stream import page_bodies
from tests.kafka_broker import KafkaBroker, free_ports
from tests.services.stream_kills import PLACED, look
from tests.stream_harness import page_headers
from tests.stream_pages import make_pages
from tests.stream_services import StreamSite, ValkeyServer, probe, wait_until

PAGE_BYTES = 20_000
LARGE_BYTES = 5_000_000
SETTLE_SECONDS = 5.0


class Load:
    """Pages produced at a steady rate, and when the attachment of each arrived."""

    def __init__(self, site: StreamSite, rate: float) -> None:
        self.site, self.rate = site, rate
        self.bodies = page_bodies(PAGE_BYTES)[1]
        self.sent: dict[str, float] = {}
        self.arrived: dict[str, float] = {}

    def run(self, seconds: float, acts: dict[float, Callable[[], Any]] | None = None) -> None:
        """Produce for some seconds, then wait for the last attachment; `acts` are done at their second."""
        asyncio.run(self._run(seconds, acts or {}))

    async def _run(self, seconds: float, acts: dict[float, Callable[[], Any]]) -> None:
        address, topics = self.site.broker.address, self.site.topics
        reader = AIOKafkaConsumer(
            topics.attachments, bootstrap_servers=address, fetch_max_wait_ms=10, auto_offset_reset="earliest"
        )
        producer = AIOKafkaProducer(bootstrap_servers=address, max_request_size=9 << 20, linger_ms=1)
        await reader.start()
        await producer.start()
        reading = asyncio.create_task(self._read(reader))
        for after, act in acts.items():
            asyncio.get_running_loop().call_later(after, act)
        start = time.monotonic()
        while (now := time.monotonic() - start) < seconds:
            while len(self.sent) < now * self.rate:
                await self._send(producer, topics.pages)
            await asyncio.sleep(0.005)
        async with asyncio.timeout(300):
            while len(self.arrived) < len(self.sent):
                await asyncio.sleep(0.05)
                self.site.replace_ended()
        reading.cancel()
        await producer.stop()
        await reader.stop()

    async def _send(self, producer: AIOKafkaProducer, topic: str) -> None:
        url = f"http://site{len(self.sent)}.example/page.html"
        body = self.bodies[len(self.sent) % len(self.bodies)]
        self.sent[url] = time.monotonic()
        await producer.send(topic, body, url.encode(), headers=list(page_headers(url)))

    async def _read(self, reader: AIOKafkaConsumer) -> None:
        async for record in reader:
            self.arrived.setdefault(record.key.decode(), time.monotonic())

    def delays(self, skip: int = 0) -> list[float]:
        """Return the seconds from produce to attachment, sorted; the first pages may be left out."""
        return sorted(self.arrived[url] - sent for url, sent in list(self.sent.items())[skip:])

    def longest_gap(self, since: float, until: float) -> float:
        """Return the longest time without an attachment between two moments."""
        moments = sorted(at for at in self.arrived.values() if since <= at <= until)
        return max((after - before for before, after in pairwise(moments)), default=0.0)


def start_ready(site: StreamSite) -> Any:
    """Start a worker and wait until it is ready."""
    [port] = free_ports(1)
    worker = site.start_worker(port)
    wait_until(lambda: probe(port, "/readyz")[0] == 200)
    return worker


def latency(site: StreamSite, asked: argparse.Namespace) -> dict[str, object]:
    """Return the delay from produce to attachment under a steady load."""
    start_ready(site)
    load = Load(site, asked.rate)
    load.run(asked.seconds)
    delays = load.delays(skip=int(SETTLE_SECONDS * asked.rate))
    ranks = statistics.quantiles(delays, n=100)
    return {
        "rate": asked.rate,
        "pages": len(delays),
        "p50_ms": round(ranks[49] * 1000, 1),
        "p99_ms": round(ranks[98] * 1000, 1),
        "largest_ms": round(delays[-1] * 1000, 1),
    }


def memory_of(pid: int) -> dict[str, int]:
    """Return present and greatest resident memory of a process in MiB."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {
        "now": int(lines["VmRSS"].split()[0]) // 1024,
        "greatest": int(lines["VmHWM"].split()[0]) // 1024,
    }


def memory(site: StreamSite, asked: argparse.Namespace) -> dict[str, object]:
    """Return the memory of a worker: idle, with a backlog of pages, with a backlog of 5 MB pages."""
    worker = start_ready(site)
    seen: dict[str, object] = {"idle_mib": memory_of(worker.pid)["now"]}
    bodies = page_bodies(PAGE_BYTES)[1]
    some = [(f"http://a{n}.example/p", bodies[n % len(bodies)], {}) for n in range(asked.pages)]
    site.produce(some)
    site.wait_done(300)
    seen["backlog_mib"] = memory_of(worker.pid)["greatest"]
    large = (bodies[0] * (LARGE_BYTES // len(bodies[0]) + 1))[:LARGE_BYTES]
    for batch in range(6):
        site.produce([(f"http://large{batch}-{n}.example/p", large, {}) for n in range(10)])
    site.wait_done(300)
    return {**seen, "pages": asked.pages, "large_pages_mib": memory_of(worker.pid)["greatest"]}


def join(site: StreamSite, asked: argparse.Namespace) -> dict[str, object]:
    """Return the longest pauses when a third worker joins and leaves under load."""
    start_ready(site)
    start_ready(site)
    load = Load(site, asked.rate)
    moments: list[float] = []

    def arrive() -> None:
        moments.append(time.monotonic())
        site.start_worker()

    def leave() -> None:
        moments.append(time.monotonic())
        site.workers.pop().send_signal(signal.SIGTERM)

    third = asked.seconds / 3
    load.run(asked.seconds, {third: arrive, 2 * third: leave})
    joined, left = moments
    return {
        "rate": asked.rate,
        "pages": len(load.arrived),
        "lost": len(load.sent) - len(load.arrived),
        "pause_before_seconds": round(load.longest_gap(joined - third + SETTLE_SECONDS, joined), 3),
        "pause_joining_seconds": round(load.longest_gap(joined, left), 3),
        "pause_leaving_seconds": round(load.longest_gap(left, left + third), 3),
    }


def restore(site: StreamSite, asked: argparse.Namespace) -> dict[str, object]:
    """Return whether every page is counted once after the store went back by half of the pages."""
    pages = make_pages(asked.pages)
    half = asked.pages // 2
    for number, some in enumerate((pages[:half], pages[half:])):
        site.produce(some)
        site.start_worker()
        site.wait_done(300)
        site.stop_workers()
        if number == 0:
            site.valkey.kill()
            shutil.copytree(site.valkey.folder, site.folder / "snapshot")
            site.valkey.start()
    before = look(site).counted
    site.valkey.kill()
    shutil.rmtree(site.valkey.folder)
    shutil.copytree(site.folder / "snapshot", site.valkey.folder)
    site.valkey.start()
    restored = look(site).counted
    site.start_worker()
    wait_until(lambda: look(site).counted >= asked.pages, 300)
    site.stop_workers()
    after = look(site)
    return {
        "pages": asked.pages,
        "counted_before": before,
        "counted_restored": restored,
        "counted_after": after.counted,
        "attachments": len(after.attachments),
        "lost": asked.pages - after.counted,
    }


def outage(site: StreamSite, asked: argparse.Namespace) -> dict[str, object]:
    """Return what became of pages when the broker was away."""
    pages = make_pages(asked.pages)
    site.produce(pages)
    worker = site.start_worker()
    wait_until(lambda: site.lag() < asked.pages)
    site.broker.kill()
    end = time.monotonic() + asked.seconds
    while time.monotonic() < end:
        site.replace_ended()
        time.sleep(0.5)
    survived = worker.poll() is None
    site.broker.start()
    back = time.monotonic()
    while site.lag():
        site.replace_ended()
    found = look(site)
    placed = sum(orjson.loads(value)["outcome"] in PLACED for value in found.attachments.values())
    return {
        "pages": asked.pages,
        "away_seconds": asked.seconds,
        "survived": survived,
        "done_after_seconds": round(time.monotonic() - back, 1),
        "lost": asked.pages - found.counted,
        "counted_twice": found.counted - placed,
    }


TRIALS = {"latency": latency, "memory": memory, "join": join, "restore": restore, "outage": outage}


def main() -> None:
    """Run one trial."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trial", choices=TRIALS)
    parser.add_argument("--rate", type=float, default=200.0, help="pages a second")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--partitions", type=int, default=4)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "kafka").mkdir()
        broker = KafkaBroker(folder / "kafka")
        broker.start()
        site = StreamSite(broker, ValkeyServer(folder / "store"), "trial", folder, asked.partitions)
        site.valkey.start()
        try:
            site.create_topics()
            seen = TRIALS[asked.trial](site, asked)
        finally:
            site.stop_workers(signal.SIGKILL)
            site.valkey.kill()
            broker.kill()
    sys.stdout.write(json.dumps({"trial": asked.trial, **seen}) + "\n")
    sys.exit(1 if seen.get("lost") or seen.get("counted_twice") else 0)


if __name__ == "__main__":
    main()
