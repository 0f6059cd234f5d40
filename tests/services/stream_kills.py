"""Kill everything around the stream and compare with a run that nobody disturbed.

By hand, as large as you like (it prints what it saw, and ends with 1 if a promise was broken):

    python -m tests.services.stream_kills --pages 100000 --kills 20

Pages are produced once; the broker's folder is copied, so both runs read the same records at the same
offsets. The first run is disturbed, the second is not, and both begin with an empty store.
"""

import argparse
import asyncio
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from hss_stream.store.open_store import make_store
from tests.kafka_broker import KafkaBroker
from tests.stream_pages import trial_pages
from tests.stream_services import StreamSite, ValkeyServer

NAME = "trial"
PLACED = {"opened", "joined", "merged"}


@dataclass
class Outcome:
    """What a run left behind."""

    attachments: dict[str, bytes] = field(default_factory=dict)
    letters: set[bytes] = field(default_factory=set)
    changed_bytes: int = 0
    repeats: int = 0
    counted: int = 0
    final: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    kills: int = 0


def rand_index(left: list[str], right: list[str]) -> float:
    """Return the adjusted Rand index of two partitions of the same things."""
    pairs = sum(n * (n - 1) // 2 for n in Counter(zip(left, right, strict=True)).values())
    one = sum(n * (n - 1) // 2 for n in Counter(left).values())
    two = sum(n * (n - 1) // 2 for n in Counter(right).values())
    expected = one * two / max(len(left) * (len(left) - 1) / 2, 1)
    largest = (one + two) / 2
    return 1.0 if largest == expected else (pairs - expected) / (largest - expected)


class Chaos:
    """Kills at random, each time some more pages are done."""

    def __init__(self, site: StreamSite, kills: int, records: int, seed: int) -> None:
        self.site, self.records, self.chance = site, records, random.Random(seed)
        self.acts = ["worker"] * kills + ["broker", "store"]
        self.chance.shuffle(self.acts)
        self.done = 0

    def act(self, lag: int) -> None:
        """Kill what it is time for."""
        while self.done < len(self.acts):
            if self.records - lag < (self.done + 1) * self.records / (len(self.acts) + 1):
                return
            self._kill(self.acts[self.done])

    def _kill(self, act: str) -> None:
        self.done += 1
        if act == "worker":
            number = self.chance.choice([signal.SIGKILL, signal.SIGTERM])
            self.chance.choice(self.site.workers).send_signal(number)
        elif act == "broker":
            self.site.broker.kill()
            self.site.broker.start()
        else:
            self.site.valkey.kill()
            self.site.valkey.start()


def run(site: StreamSite, workers: int, chaos: Chaos | None) -> float:
    """Run workers, under a supervisor, until everything is committed; return how long that took."""
    start = time.monotonic()
    for _ in range(workers):
        site.start_worker()
    while (lag := site.lag()) > 0:
        if chaos is not None:
            chaos.act(lag)
        site.replace_ended()
        time.sleep(0.2)
    seconds = time.monotonic() - start
    site.stop_workers()
    return seconds


async def read_store(url: str) -> tuple[int, dict[str, str]]:
    """Return the pages counted in live style clusters, and where each merged cluster went."""
    store = make_store(url)
    await store.open()
    counted, into = 0, {}
    async for cluster, record in store.list_clusters("s"):
        counted += record.pages
        if record.into:
            into[f"s{cluster:016x}"] = f"s{record.into:016x}"
    await store.close()
    return counted, into


def look(site: StreamSite) -> Outcome:
    """Return what a run left behind."""
    found = Outcome()
    for record in site.read(site.topics.attachments):
        event = orjson.loads(record.value)
        kept = found.attachments.setdefault(event["id"], record.value)
        found.repeats += kept is not record.value
        found.changed_bytes += kept != record.value
    found.letters = {dict(record.headers)["hss-id"] for record in site.read(site.topics.dead_letters)}
    found.counted, into = asyncio.run(read_store(site.valkey.url))
    for value in found.attachments.values():
        event = orjson.loads(value)
        cluster = event["cluster"] or ""
        while cluster in into:
            cluster = into[cluster]
        found.final[event["id"]] = cluster
    return found


def compare(one: Outcome, two: Outcome, attachments: int, letters: int) -> dict[str, object]:
    """Return what was seen, with `broken`: the promises that were not kept."""
    ids = sorted(two.final)
    index = rand_index([one.final.get(key, "?") for key in ids], [two.final[key] for key in ids])
    placed = sum(orjson.loads(value)["outcome"] in PLACED for value in one.attachments.values())
    checks = {
        "every page has its attachment": len(two.attachments) == attachments,
        "attachment ids are equal": set(one.attachments) == set(two.attachments),
        "dead-letter ids are equal": one.letters == two.letters,
        "dead letters are the expected ones": len(two.letters) == letters,
        "an id has one text": one.changed_bytes == two.changed_bytes == 0,
        "pages are counted once": one.counted == placed == two.counted,
        "clusters agree": index >= 0.98,
    }
    return {
        "pages": attachments,
        "letters": len(one.letters),
        "kills": one.kills,
        "repeated": one.repeats,
        "seconds": round(one.seconds, 1),
        "undisturbed_seconds": round(two.seconds, 1),
        "adjusted_rand_index": round(index, 6),
        "equal_clusters": one.final == two.final,
        "broken": [name for name, holds in checks.items() if not holds],
    }


def trial(
    folder: Path,
    pages: int,
    kills: int,
    *,
    partitions: int = 4,
    workers: int = 2,
    seed: int = 1,
    batch: int = 256,
) -> dict[str, object]:
    """Run both runs on the same records and compare them."""
    records, attachments, letters = trial_pages(pages, max(20, pages // 500))
    first = folder / "first"
    first.mkdir()
    broker = KafkaBroker(first)
    broker.start()
    outcomes = []
    try:
        site = StreamSite(broker, ValkeyServer(folder / "store-1"), NAME, folder, partitions)
        site.create_topics()
        site.produce(records)
        broker.stop()
        shutil.copytree(first, folder / "second")
        for number, kind in ((1, "first"), (2, "second")):
            broker.folder = folder / kind
            broker.start()
            site.valkey = ValkeyServer(folder / f"store-{number}")
            site.valkey.start()
            share = "0.01" if number == 1 else "0"
            site.environment = {"TEST_RAISE_SHARE": share, "HSS_WORKER__BATCH_PAGES": str(batch)}
            chaos = Chaos(site, kills, len(records), seed) if number == 1 else None
            seconds = run(site, workers, chaos)
            found = look(site)
            found.seconds, found.kills = seconds, 0 if chaos is None else chaos.done
            outcomes.append(found)
            site.valkey.kill()
            broker.stop()
    finally:
        site.stop_workers(signal.SIGKILL)
        site.valkey.kill()
        broker.kill()
    return compare(*outcomes, attachments, letters)


def main() -> None:
    """Run a trial of the size asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument(
        "--kills", type=int, default=20, help="kills of workers; broker and store come on top"
    )
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        seen = trial(
            Path(name), asked.pages, asked.kills,
            partitions=asked.partitions, workers=asked.workers, seed=asked.seed,
        )  # fmt: skip
    sys.stdout.write(json.dumps(seen) + "\n")
    sys.exit(1 if seen["broken"] else 0)


if __name__ == "__main__":
    main()
