"""`memory://`: Faust's agents on a broker inside the process (entry point `faust.transports`).

The same consumer discipline as on Kafka, one group member that owns everything, and no sockets.
It sets what Faust's assignor would have set after a rebalance, which is inside knowledge:
`tests/unit/stream/test_faust_inside.py` notices when that changes.
"""

import asyncio
import contextlib
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from faust.assignor.client_assignment import ClientAssignment
from faust.transport import base
from faust.transport.consumer import Consumer
from faust.types import TP, ConsumerMessage, RecordMetadata
from mode import Service

from hss_stream.stream.memory_log import LogRecord, MemoryLog
from hss_stream.stream.safe_consumer import SafeConsumerMixin

POLL_RECORDS = 500
_LOG_APPEND_TIME = 1


class MemoryConsumer(SafeConsumerMixin, Consumer):
    """A consumer of the log in memory."""

    consumer_stopped_errors = ()
    transport: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._assigned: set[TP] = set()
        self._positions: dict[TP, int] = {}
        self._subscribed: set[str] = set()
        self._subscription_changed = asyncio.Event()
        super().__init__(*args, **kwargs)

    @property
    def _log(self) -> MemoryLog:
        log: MemoryLog = self.transport.log
        return log

    async def on_stop(self) -> None:
        """Commit what is done, then own nothing."""
        await super().on_stop()
        self._assigned.clear()

    async def subscribe(self, topics: Iterable[str]) -> None:
        """Take all partitions of these topics, in a task of our own as a broker would."""
        self._subscribed = set(topics)
        self._subscription_changed.set()

    @Service.task
    async def _rebalancer(self) -> None:
        while not self.should_stop:
            await self.wait_first(self._subscription_changed.wait())
            if not self.should_stop:
                self._subscription_changed.clear()
                await self.rebalance()

    async def rebalance(self) -> None:
        """Give everything up and take it again, in the order Kafka's listener is called."""
        app = self.app
        app.on_rebalance_start()
        await self.on_partitions_revoked(set(self._assigned))
        self._assigned = {
            TP(topic, number) for topic in self._subscribed for number in range(self._log.consume(topic))
        }
        app.consumer_generation_id = (app.consumer_generation_id or 0) + 1
        self._tell_assignor(app.assignor)
        await self.on_partitions_assigned(set(self._assigned), app.consumer_generation_id)

    def _tell_assignor(self, assignor: Any) -> None:
        actives = defaultdict(list)
        for tp in sorted(self._assigned):
            actives[tp.topic].append(tp.partition)
        assignor._active_tps = set(self._assigned)  # noqa: SLF001 - what on_assignment would have set
        assignor._standby_tps = set()  # noqa: SLF001 - the same
        assignor._topic_groups = dict.fromkeys(self._subscribed, 0)  # noqa: SLF001 - the same
        assignor._assignment = ClientAssignment(actives=dict(actives), standbys={})  # noqa: SLF001 - the same

    def assignment(self) -> set[TP]:
        """Return what this consumer owns."""
        return set(self._assigned)

    async def seek_to_committed(self) -> Any:
        """Go to the committed offsets, or to the first record there is."""
        committed = {tp: self._log.committed.get(tp) for tp in self._assigned}
        for tp, offset in committed.items():
            self._positions[tp] = self._log.bounds(*tp)[0] if offset is None else offset
        return committed

    async def _seek(self, partition: TP, offset: int) -> None:
        self._positions[partition] = offset

    async def seek_wait(self, partitions: Mapping[TP, int]) -> None:
        """Go to these offsets."""
        self._positions.update(partitions)

    async def position(self, tp: TP) -> int:
        """Return the next offset to read."""
        return self._positions.get(tp, 0)

    def highwater(self, tp: TP) -> int:
        """Return the offset after the last record."""
        return self._log.bounds(*tp)[1]

    async def highwaters(self, *partitions: TP) -> Mapping[TP, int]:
        """Return the offsets after the last records."""
        return {tp: self.highwater(tp) for tp in partitions}

    async def earliest_offsets(self, *partitions: TP) -> Mapping[TP, int]:
        """Return the first offsets there are."""
        return {tp: self._log.bounds(*tp)[0] for tp in partitions}

    def topic_partitions(self, topic: str) -> int:
        """Return how many partitions a topic has."""
        return self._log.create(topic)

    def key_partition(self, topic: str, key: bytes | None, partition: int | None = None) -> int:
        """Return the partition of a key."""
        return self._log.partition_of(topic, key) if partition is None else partition

    async def create_topic(self, topic: str, partitions: int, replication: int, **_: Any) -> None:
        """Make sure a topic is there."""
        del replication
        self._log.create(topic, partitions)

    def _new_topicpartition(self, topic: str, partition: int) -> TP:
        return TP(topic, partition)

    async def _commit(self, offsets: Mapping[TP, int]) -> bool:
        for tp, offset in offsets.items():
            self._log.commit(*tp, offset)
        return True

    def _ready_records(self, partitions: Iterable[TP]) -> dict[TP, list[LogRecord]]:
        ready: dict[TP, list[LogRecord]] = {}
        left = POLL_RECORDS
        for tp in partitions:
            records = self._log.read(*tp, self._positions.get(tp, 0), left)
            if records:
                self._positions[tp] = records[-1].offset + 1
                ready[tp] = records
                left -= len(records)
            if left <= 0:
                break
        return ready

    async def _getmany(self, active_partitions: set[TP] | None, timeout: float) -> Any:  # noqa: ASYNC109 - Faust's signature
        end = time.monotonic() + timeout
        while not self.should_stop and self.flow_active:
            self._log.grown.clear()
            wanted = self._assigned if active_partitions is None else active_partitions & self._assigned
            ready = self._ready_records(sorted(wanted))
            left = end - time.monotonic()
            if ready or left <= 0:
                return ready
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._log.grown.wait(), left)
        return {}

    def _to_message(self, tp: TP, record: LogRecord) -> ConsumerMessage:
        return ConsumerMessage(
            record.topic,
            record.partition,
            record.offset,
            record.timestamp / 1000,
            timestamp_type=_LOG_APPEND_TIME,
            headers=list(record.headers),
            key=record.key,
            value=record.value,
            checksum=None,
            tp=tp,
            generation_id=self.app.consumer_generation_id,
        )


class MemoryProducer(base.Producer):
    """A producer into the log in memory."""

    transport: Any

    async def send(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        partition: int | None,
        timestamp: float | None,
        headers: Any,
        *,
        transactional_id: str | None = None,
    ) -> asyncio.Future[RecordMetadata]:
        """Append a record; the future returned is done."""
        del transactional_id
        pairs = headers.items() if isinstance(headers, Mapping) else headers or ()
        record = await self.transport.log.append(
            *(topic, key, value),
            partition=partition,
            timestamp=None if timestamp is None else int(timestamp * 1000),
            headers=tuple(pairs),
        )
        tp = TP(topic, record.partition)
        sent: asyncio.Future[RecordMetadata] = asyncio.get_running_loop().create_future()
        sent.set_result(
            RecordMetadata(topic, record.partition, tp, record.offset, record.timestamp, _LOG_APPEND_TIME)
        )
        return sent

    async def send_and_wait(self, *args: Any, **kwargs: Any) -> RecordMetadata:
        """Append a record and return where it went."""
        return await (await self.send(*args, **kwargs))

    async def flush(self) -> None:
        """Send what Faust still buffers."""
        await self.buffer.flush()

    async def create_topic(self, topic: str, partitions: int, replication: int, **_: Any) -> None:
        """Make sure a topic is there."""
        del replication
        self.transport.log.create(topic, partitions)

    def key_partition(self, topic: str, key: bytes) -> TP:
        """Return the partition of a key."""
        return TP(topic, self.transport.log.partition_of(topic, key))

    def supports_headers(self) -> bool:
        """Say yes."""
        return True


class Transport(base.Transport):
    """The transport behind `memory://`; the app brings the log, so that it can outlive the app."""

    Consumer = MemoryConsumer
    Producer = MemoryProducer
    driver_version = "memory=1"
    app: Any

    @property
    def log(self) -> MemoryLog:
        """The broker."""
        log: MemoryLog = self.app.memory_log
        return log
