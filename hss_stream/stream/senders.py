"""Producing records in batches: one future a batch instead of one a record.

Faust's `topic.send` costs about as much as consuming a page. Here records of the same partition
are packed by aiokafka's batch builder and acknowledged together; the producer is idempotent, so
its own retries neither repeat nor reorder them.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from aiokafka.errors import KafkaError

from hss_stream.errors import StreamError
from hss_stream.stream.step import OutRecord


class KafkaSender:
    """Produces through the aiokafka producer inside Faust's."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def send(self, records: Sequence[OutRecord]) -> None:
        """Return once Kafka has acknowledged all records.

        Each partition gets them in their order, or a beginning of them: after a failure the caller sends
        all again, and nobody sees a later record before an earlier one.
        """
        producer = self._app.producer._ensure_producer()  # noqa: SLF001 - Faust keeps no public way to it
        try:
            for topic in {record.topic for record in records}:
                await producer.partitions_for(topic)
            groups: dict[tuple[str, int], list[OutRecord]] = defaultdict(list)
            for record in records:
                tp = self._app.producer.key_partition(record.topic, record.key)
                groups[record.topic, tp.partition].append(record)
            sending = (_send_group(producer, *target, group) for target, group in groups.items())
            ends = await asyncio.gather(*sending, return_exceptions=True)
        except KafkaError as error:
            raise StreamError(f"producing {len(records)} records: {error!r}") from error
        for end in ends:
            if isinstance(end, KafkaError):
                raise StreamError(f"producing {len(records)} records: {end!r}") from end
            if end is not None:
                raise end


async def _send_group(producer: Any, topic: str, partition: int, records: Sequence[OutRecord]) -> None:
    batch = producer.create_batch()
    for record in records:
        if _append(batch, record):
            continue
        if batch.record_count():
            await (await producer.send_batch(batch, topic, partition=partition))
            batch = producer.create_batch()
        if not _append(batch, record):
            await producer.send_and_wait(
                *(topic, record.value, record.key, partition), headers=list(record.headers)
            )
    if batch.record_count():
        await (await producer.send_batch(batch, topic, partition=partition))


def _append(batch: Any, record: OutRecord) -> bool:
    return (
        batch.append(timestamp=None, key=record.key, value=record.value, headers=list(record.headers))
        is not None
    )


class MemorySender:
    """Produces into the embedded broker."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def send(self, records: Sequence[OutRecord]) -> None:
        """Append all records."""
        for record in records:
            await self._app.memory_log.append(record.topic, record.key, record.value, headers=record.headers)
