"""A feed into a real Kafka, killed at random and resumed."""

import json
import os
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer

from tests.unit.sources.archives import members, response, warc_record
from tests.waiting import wait_for

PAGES = 160
LARGE = 7
LARGE_BYTES = 3_500_000

pytestmark = pytest.mark.services


def write_warc(path: Path) -> None:
    """Write pages as responses of a WARC file; one in sixty is so large that it travels in parts."""
    records = []
    for index in range(PAGES):
        filler = "x" * (LARGE_BYTES if index % 60 == LARGE else 2000)
        page = response(f"<p>{index} {filler}".encode())
        records.append(warc_record(page, url=f"http://site{index % 9}.example/{index}"))
    path.write_bytes(members(records))


def start_feed(kafka, prefix: str, source: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start `hss-stream feed` in a process of its own."""
    command = [sys.executable, "-c", "from hss_stream.cli import main; main()", "feed", str(source), "--json"]
    environment = {**os.environ, "HSS_BROKER": kafka.url, "HSS_TOPIC_PREFIX": prefix}
    return subprocess.Popen(
        [*command, "--state", str(source.with_suffix(".state")), *arguments],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def arrived(source: Path) -> int:
    """Return the highest index that the feed's state knows to be in Kafka; -1 before there is one."""
    try:
        state = json.loads(source.with_suffix(".state").read_text())
    except FileNotFoundError:
        return -1
    return max((position[0] for position in state["arrived"].values()), default=-1)


async def read_topic(kafka, topic: str) -> list[tuple[dict[str, bytes], bytes]]:
    """Return the headers and values of all records of a topic, partition by partition."""
    consumer = AIOKafkaConsumer(topic, bootstrap_servers=kafka.address, auto_offset_reset="earliest")
    await consumer.start()
    try:
        found = []
        ends = await consumer.end_offsets(consumer.assignment())
        for tp, end in ends.items():
            while await consumer.position(tp) < end:
                records = (await consumer.getmany(tp, timeout_ms=1000)).get(tp, [])
                found += [(dict(record.headers), record.value) for record in records]
        return found
    finally:
        await consumer.stop()


def create_topics(kafka, prefix: str) -> None:
    """Create all topics under a prefix, with three partitions each."""
    code = "from hss_stream.cli import main; main()"
    environment = {**os.environ, "HSS_BROKER": kafka.url, "HSS_TOPIC_PREFIX": prefix}
    subprocess.run(
        [sys.executable, "-c", code, "topics", "create", "--partitions", "3"], env=environment, check=True
    )


async def test_killed_feed_repeats_nothing(kafka, tmp_path):
    """However often the feed of a WARC is killed, every page is in Kafka once and has one attachment."""
    prefix = f"t{uuid.uuid4().hex[:8]}."
    create_topics(kafka, prefix)
    source = tmp_path / "crawl.warc.gz"
    write_warc(source)
    feed = start_feed(kafka, prefix, source, "--rate", "60")
    for wanted in (20, 80):
        wait_for(lambda wanted=wanted, feed=feed: arrived(source) >= wanted or feed.poll() is not None)
        assert feed.poll() is None, "the feed ended before it could be killed"
        feed.kill()
        feed.communicate()
        feed = start_feed(kafka, prefix, source, "--rate", "200", "--resume")
    with running_worker(kafka, prefix, tmp_path / "store"):
        feed.communicate()
        told = json.loads(start_feed(kafka, prefix, source, "--resume").communicate()[0])
        attached = await attachments(kafka, prefix)
    found = await read_topic(kafka, f"{prefix}pages")
    seen = Counter((int(headers["feed-index"]), int(headers.get("part", b"0"))) for headers, _ in found)
    bodies: dict[int, bytes] = {}
    for headers, value in found:
        index = int(headers["feed-index"])
        bodies[index] = bodies.get(index, b"") + value

    assert (told["records"], told["repeated"]) == (0, PAGES)
    assert set(range(PAGES)) == set(bodies)
    assert set(seen.values()) == {1}
    assert all(body.startswith(f"<p>{index} ".encode()) for index, body in bodies.items())
    assert len(bodies[LARGE]) > LARGE_BYTES
    assert len({event["url"] for event in attached}) == len({event["id"] for event in attached}) == PAGES


async def attachments(kafka, prefix: str) -> list[dict]:
    """Return the attachments once there is one for every page."""
    found: list[dict] = []
    while len({event["url"] for event in found}) < PAGES:
        found = [json.loads(value) for _, value in await read_topic(kafka, f"{prefix}attachments")]
    return found


@contextmanager
def running_worker(kafka, prefix: str, store: Path) -> Iterator[None]:
    """Run a worker on the topics of a prefix."""
    command = [sys.executable, "-c", "from hss_stream.cli import main; main()", "worker"]
    environment = {
        **os.environ, "HSS_BROKER": kafka.url, "HSS_TOPIC_PREFIX": prefix, "HSS_GROUP": prefix,
        "HSS_REDIS": f"embedded://{store}", "HSS_METRICS__PORT": "0",
    }  # fmt: skip
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        yield
        process.terminate()


def test_feed_needs_a_broker(tmp_path, kafka):
    """Without a real broker, or with the state of another feed, the command says so and exits."""
    source = tmp_path / "crawl.warc"
    write_warc(source)
    missing = start_feed(kafka, "t.", source, "--resume")
    _, text = missing.communicate()

    assert missing.returncode == 1
    assert "there is no such file" in text
