"""The stream on a real broker: pages a second against a no-op agent and against bare aiokafka."""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from aiokafka import AIOKafkaProducer

from hss_stream.stream.admin import admin_client, create_topics
from hss_stream.stream.topics import Topics
from tests.bench.measure import evaluation_corpus
from tests.kafka_broker import KafkaBroker, missing_for_kafka
from tests.stream_harness import page_headers

PAGES = 4000
RUNS = 2
KINDS = ("noop", "style", "all", "aiokafka")


def page_bodies(size: int) -> tuple[str, list[bytes]]:
    """Return bodies of about a size: real pages cut or repeated, or generated ones."""
    folder = evaluation_corpus("pages-debian-docs")
    if folder is None:
        rows = [f"<tr class='c{n}'><td style='top:{n * 7}px'>cell {n}</td></tr>\n" for n in range(size // 40)]
        return "generated", [("".join(rows[n:] + rows[:n]))[:size].encode() for n in range(200)]
    files = [path for path in sorted(folder.rglob("*.html")) if path.stat().st_size > 2000][:400]
    bodies = [path.read_bytes() for path in files]
    return folder.name, [(body * (size // len(body) + 1))[:size] for body in bodies]


async def fill(broker: KafkaBroker, topics: Topics, bodies: list[bytes]) -> None:
    """Create the topics and produce the pages."""
    async with admin_client([broker.address], {}) as client:
        await create_topics(client, topics.plans(), 4, 1)
    producer = AIOKafkaProducer(
        bootstrap_servers=broker.address, max_request_size=9 << 20, max_batch_size=1 << 20, linger_ms=5
    )
    await producer.start()
    for number in range(PAGES):
        url = f"http://site{number}.example/page.html"
        body = bodies[number % len(bodies)]
        await producer.send(topics.pages, body, url.encode(), headers=list(page_headers(url)))
    await producer.stop()


def measure(kind: str, broker: KafkaBroker, prefix: str, group: str, store: Path) -> float:
    """Return the pages a second of one process of a kind."""
    environment = {
        **os.environ,
        "HSS_BROKER": broker.url,
        "HSS_REDIS": f"embedded://{store}",
        "HSS_GROUP": group,
        "HSS_TOPIC_PREFIX": prefix,
    }
    command = [sys.executable, "-m", "tests.stream_bench_worker", kind, str(PAGES)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=300)
    return PAGES / float(done.stdout.split()[-1])


def rows(*, slow: bool) -> Iterator[dict[str, object]]:
    """Yield one row a page size and baseline; the machine is shared, so all kinds run in turns."""
    if missing_for_kafka() is not None:
        sys.stderr.write(f"bench stream: no {missing_for_kafka()}\n")
        return
    with tempfile.TemporaryDirectory() as name:
        broker = KafkaBroker(Path(name))
        broker.start()
        try:
            for size in (20_000, 46_000):
                yield from size_rows(broker, Path(name), size, 5 if slow else RUNS)
        finally:
            broker.kill()


def size_rows(broker: KafkaBroker, folder: Path, size: int, runs: int) -> Iterator[dict[str, object]]:
    """Yield the rows of one page size."""
    corpus, bodies = page_bodies(size)
    prefix = f"bench{size}."
    asyncio.run(fill(broker, Topics(prefix), bodies))
    best = dict.fromkeys(KINDS, 0.0)
    for run in range(runs):
        for kind in KINDS:
            store = folder / f"store-{size}-{run}-{kind}"
            store.mkdir()
            rate = measure(kind, broker, prefix, f"{kind}-{size}-{run}", store)
            best[kind] = max(best[kind], rate)
    pairs = [(value, baseline) for value in ("style", "all") for baseline in ("noop", "aiokafka")]
    for value, baseline in (*pairs, ("noop", "aiokafka")):
        name = {"noop": "no-op faust agent"}.get(baseline, baseline)
        yield {
            "measure": "pages_per_second",
            "value": round(best[value], 1),
            "baseline": name,
            "baseline_value": round(best[baseline], 1),
            "ratio": round(best[value] / best[baseline], 3),
            "runs": runs,
            "corpus": corpus,
            "page_bytes": size,
            "signals": "none" if value == "noop" else value,
            "processes": 1,
        }
