"""Feed a source into Kafka: in order, idempotent, bounded in memory, and resumable without a repeat.

An idempotent producer appends the records of a partition in the order they were sent, without gaps. So
what had arrived when a feed was killed is, in each partition, everything up to one position; going on
reads the end of each partition to learn that position and sends what comes after it.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaError
from aiokafka.partitioner import DefaultPartitioner

from hss_stream.errors import BadPageError, StreamError
from hss_stream.sources.record import Kind, SourceRecord
from hss_stream.stream.feed_record import FeedRecord, mail_records, page_records, read_position
from hss_stream.stream.feed_state import FeedState
from hss_stream.stream.topics import MAX_REQUEST_BYTES

# Bytes handed to the producer and not acknowledged yet; with its own batches this bounds memory.
MAX_FLYING_BYTES = 32 << 20
# A killed feed's last request may still be on its way to the broker; it is there within this time.
SETTLE_SECONDS = 1.0
SAVE_SECONDS = 1.0


@dataclass
class FeedCount:
    """What a feed has done so far."""

    records: int = 0
    bytes: int = 0
    repeated: int = 0
    refused: int = 0


@dataclass
class Feeder:
    """One run of a feed of pages or of messages.

    `save` is called before the first record is sent, then about once a second and at the end;
    `on_progress` after every source record.
    """

    servers: list[str]
    options: dict[str, Any]
    state: FeedState
    save: Callable[[], None]
    kind: Kind = "page"
    compression: str = "zstd"
    records_per_second: float | None = None
    on_progress: Callable[[FeedCount], None] = lambda _: None
    count: FeedCount = field(default_factory=FeedCount)
    _flying: set[asyncio.Future[Any]] = field(default_factory=set)
    _flying_bytes: int = 0
    _failure: BaseException | None = None

    async def run(self, records: Iterable[SourceRecord]) -> FeedCount:
        """Send everything that has not arrived yet and return once all of it has."""
        producer = AIOKafkaProducer(
            bootstrap_servers=self.servers,
            enable_idempotence=True,
            compression_type=None if self.compression == "none" else self.compression,
            max_request_size=MAX_REQUEST_BYTES,
            max_batch_size=1 << 20,
            linger_ms=5,
            **self.options,
        )
        try:
            try:
                await producer.start()
                partitions = sorted(await producer.partitions_for(self.state.topic))
                await self._catch_up(partitions)
                self.save()
                await self._send_all(producer, partitions, records)
                self.save()
            finally:
                await producer.stop()
        except KafkaError as error:
            where = f"{type(error).__name__} at {', '.join(self.servers)}"
            raise StreamError(f"feeding {self.state.topic}: {where}; is Kafka running?") from error
        return self.count

    async def _catch_up(self, partitions: list[int]) -> None:
        """Learn from Kafka what of this feed has arrived beyond what the state knows."""
        tps = [TopicPartition(self.state.topic, partition) for partition in partitions]
        consumer = AIOKafkaConsumer(bootstrap_servers=self.servers, enable_auto_commit=False, **self.options)
        await consumer.start()
        try:
            fresh = not self.state.offsets
            await asyncio.sleep(0 if fresh else SETTLE_SECONDS)
            ends = await consumer.end_offsets(tps)
            if fresh:
                self.state.offsets = {tp.partition: end for tp, end in ends.items()}
                return
            consumer.assign(tps)
            for tp in tps:
                consumer.seek(tp, self.state.offsets.get(tp.partition, 0))
                while await consumer.position(tp) < ends[tp]:
                    for record in (await consumer.getmany(tp, timeout_ms=1000)).get(tp, []):
                        position = read_position(record.headers, self.state.feed)
                        if position is not None:
                            self.state.note(tp.partition, record.offset, position)
        finally:
            await consumer.stop()

    async def _send_all(
        self, producer: AIOKafkaProducer, partitions: list[int], records: Iterable[SourceRecord]
    ) -> None:
        choose = DefaultPartitioner()
        clock = asyncio.get_running_loop().time
        start = saved = clock()
        for index, record in enumerate(records):
            try:
                some = self._records(record, index)
            except BadPageError:
                self.count.refused += 1
                continue
            partition = choose(some[0].key, partitions, partitions)
            missing = [one for one in some if not self.state.has_arrived(partition, one.position)]
            self.count.repeated += not missing
            for one in missing:
                await self._send(producer, partition, one)
            self.count.records += bool(missing)
            self.on_progress(self.count)
            await self._pace(start)
            if clock() - saved > SAVE_SECONDS:
                self.save()
                saved = clock()
        await asyncio.gather(*self._flying)

    def _records(self, record: SourceRecord, index: int) -> list[FeedRecord]:
        if record.kind != self.kind:
            raise BadPageError(f"feeding {self.kind}s: {record.url} is a {record.kind}")
        write = mail_records if self.kind == "mail" else page_records
        return list(write(record, self.state.feed, index))

    async def _send(self, producer: AIOKafkaProducer, partition: int, record: FeedRecord) -> None:
        while self._flying_bytes > MAX_FLYING_BYTES:
            await asyncio.wait(self._flying, return_when=asyncio.FIRST_COMPLETED)
        if self._failure is not None:
            raise self._failure
        future = await producer.send(
            self.state.topic, record.value, record.key, partition, headers=list(record.headers)
        )
        self._flying.add(future)
        self._flying_bytes += len(record.value)
        self.count.bytes += len(record.value)
        future.add_done_callback(lambda done: self._on_acknowledged(done, partition, record))

    def _on_acknowledged(self, done: asyncio.Future[Any], partition: int, record: FeedRecord) -> None:
        self._flying.discard(done)
        self._flying_bytes -= len(record.value)
        if done.cancelled():
            return
        error = done.exception()
        if error is not None:
            self._failure = error
        else:
            self.state.note(partition, done.result().offset, record.position)

    async def _pace(self, start: float) -> None:
        if self.records_per_second:
            due = start + self.count.records / self.records_per_second
            await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
