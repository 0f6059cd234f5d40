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
from hss_stream.stream.page_step import OutRecord


class KafkaSender:
    """Produces through the aiokafka producer inside Faust's."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def send(self, records: Sequence[OutRecord]) -> None:
        """Return once Kafka has acknowledged all records."""
        try:
            await asyncio.gather(*await self._submit(records))
        except KafkaError as error:
            raise StreamError(f"producing {len(records)} records: {error!r}") from error

    async def _submit(self, records: Sequence[OutRecord]) -> list[asyncio.Future[Any]]:
        producer = self._app.producer._ensure_producer()  # noqa: SLF001 - Faust keeps no public way to it
        groups: dict[tuple[str, int], list[OutRecord]] = defaultdict(list)
        for topic in {record.topic for record in records}:
            await producer.partitions_for(topic)
        for record in records:
            tp = self._app.producer.key_partition(record.topic, record.key)
            groups[record.topic, tp.partition].append(record)
        futures = []
        for (topic, partition), group in groups.items():
            futures.extend(await _submit_group(producer, topic, partition, group))
        return futures


async def _submit_group(
    producer: Any, topic: str, partition: int, records: Sequence[OutRecord]
) -> list[asyncio.Future[Any]]:
    futures = []
    batch = producer.create_batch()
    for record in records:
        if _append(batch, record):
            continue
        if batch.record_count():
            futures.append(await producer.send_batch(batch, topic, partition=partition))
            batch = producer.create_batch()
        if not _append(batch, record):
            futures.append(
                await producer.send(
                    *(topic, record.value, record.key, partition), headers=list(record.headers)
                )
            )
    if batch.record_count():
        futures.append(await producer.send_batch(batch, topic, partition=partition))
    return futures


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
