"""Real programs around the stream: workers, a Valkey that can be killed, and clients that look."""

import asyncio
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import redis
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from hss_stream.store.embedded import server_program
from hss_stream.stream.admin import admin_client, create_topics
from hss_stream.stream.topics import Topics
from tests.kafka_broker import KafkaBroker, free_ports
from tests.stream_harness import page_headers

WAIT_SECONDS = 90


def wait_until(condition: Callable[[], object], seconds: float = WAIT_SECONDS) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"not so after {seconds} seconds")
        time.sleep(0.05)


class ValkeyServer:
    """A server with an append-only file in a folder; killed and restarted on the same port."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        [self.port] = free_ports(1)
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start and wait until it answers."""
        command = [server_program(), "--port", str(self.port), "--dir", str(self.folder), "--save", ""]
        command += ["--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self._answers)

    def _answers(self) -> bool:
        try:
            with redis.Redis(port=self.port) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def kill(self) -> None:
        """End with SIGKILL."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@dataclass
class StreamSite:
    """A broker, a store and a name of their own for one test."""

    broker: KafkaBroker
    valkey: ValkeyServer
    name: str
    folder: Path
    partitions: int = 2
    environment: dict[str, str] = field(default_factory=dict)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def topics(self) -> Topics:
        """The topics of this site."""
        return Topics(f"{self.name}.")

    def settings(self, port: int = 0) -> dict[str, str]:
        """Return the environment of a worker."""
        return {
            **os.environ,
            "HSS_BROKER": self.broker.url,
            "HSS_REDIS": self.valkey.url,
            "HSS_GROUP": self.name,
            "HSS_TOPIC_PREFIX": f"{self.name}.",
            "HSS_METRICS__PORT": str(port),
            "HSS_KAFKA__SESSION_TIMEOUT_SECONDS": "2",
            "HSS_KAFKA__REQUEST_TIMEOUT_SECONDS": "5",
            "HSS_WORKER__DRAIN_SECONDS": "5",
            "HSS_WORKER__RETRY_SECONDS": "0.5",
            **self.environment,
        }

    def create_topics(self) -> None:
        """Create the topics of the site."""

        async def create() -> None:
            async with admin_client([self.broker.address], {}) as client:
                await create_topics(client, self.topics.plans(), self.partitions, 1)

        asyncio.run(create())

    def recreate(self, topic: str) -> None:
        """Delete a topic and make it anew; what the group committed of it is gone as well."""

        async def create() -> None:
            plans = [plan for plan in self.topics.plans() if plan.name == topic]
            async with admin_client([self.broker.address], {}) as client:
                await client.delete_topics([topic])
                while topic in await client.list_topics():  # noqa: ASYNC110 - what Kafka has, no event tells
                    await asyncio.sleep(0.1)
                await create_topics(client, plans, self.partitions, 1)

        asyncio.run(create())

    def start_worker(self, port: int = 0) -> subprocess.Popen[bytes]:
        """Start a worker process; its log goes to a file of the site."""
        with (self.folder / "worker.log").open("ab") as output:
            worker = subprocess.Popen(
                [sys.executable, "-m", "tests.faulty_worker"], env=self.settings(port), stderr=output
            )
        self.workers.append(worker)
        return worker

    def replace_ended(self) -> None:
        """Do what a supervisor does: start a worker for each that ended."""
        for worker in [worker for worker in self.workers if worker.poll() is not None]:
            self.workers.remove(worker)
            self.start_worker()

    def stop_workers(self, number: int = signal.SIGTERM) -> list[int]:
        """End all workers; return their exit codes."""
        for worker in self.workers:
            worker.send_signal(number)
        codes = [worker.wait(timeout=60) for worker in self.workers]
        self.workers.clear()
        return codes

    def produce(self, pages: list[tuple[str, bytes | None, dict[str, str]]]) -> list[tuple[int, int]]:
        """Produce pages; return partition and offset of each."""

        async def send() -> list[tuple[int, int]]:
            producer = AIOKafkaProducer(
                bootstrap_servers=self.broker.address, max_request_size=9 << 20, linger_ms=5,
                enable_idempotence=True,
            )  # fmt: skip
            await producer.start()
            try:
                sent = [
                    await producer.send(
                        self.topics.pages, body, url.encode(), headers=list(page_headers(url, **more))
                    )
                    for url, body, more in pages
                ]
                return [(done.partition, done.offset) for done in await asyncio.gather(*sent)]
            finally:
                await producer.stop()

        return asyncio.run(send())

    def read(self, topic: str) -> list:
        """Return all records of a topic."""

        async def fetch() -> list:
            consumer = AIOKafkaConsumer(bootstrap_servers=self.broker.address, auto_offset_reset="earliest")
            await consumer.start()
            try:
                partitions = [TopicPartition(topic, n) for n in range(self.partitions)]
                consumer.assign(partitions)
                ends = await consumer.end_offsets(partitions)
                records = []
                for tp in partitions:
                    while await consumer.position(tp) < ends[tp]:
                        records += (await consumer.getmany(tp, timeout_ms=500)).get(tp, [])
                return records
            finally:
                await consumer.stop()

        return asyncio.run(fetch())

    def lag(self) -> int:
        """Return how many pages are not committed."""

        async def ask() -> int:
            consumer = AIOKafkaConsumer(bootstrap_servers=self.broker.address, group_id=self.name)
            await consumer.start()
            try:
                partitions = [TopicPartition(self.topics.pages, n) for n in range(self.partitions)]
                ends = await consumer.end_offsets(partitions)
                done = [await consumer.committed(tp) or 0 for tp in partitions]
                return sum(ends.values()) - sum(done)
            finally:
                await consumer.stop()

        return asyncio.run(ask())

    def wait_done(self, seconds: float = WAIT_SECONDS) -> None:
        """Wait until every page is committed."""
        end = time.monotonic() + seconds
        while self.lag():
            if time.monotonic() > end:
                raise TimeoutError((self.folder / "worker.log").read_text()[-3000:])
            time.sleep(0.2)


def probe(port: int, path: str) -> tuple[int, str]:
    """Return status and body of a request to a worker."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)
