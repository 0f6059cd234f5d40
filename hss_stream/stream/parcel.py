"""Parcels: records of one partition that were fetched together travel through Faust as one event.

Faust spends more on an event (a task, two queues, sensors, reference counts) than we do on reading a
page; a parcel pays that once for many records. Decision 0054 has the figures.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import faust
from faust.types import TP, ConsumerMessage


@dataclass(frozen=True, slots=True)
class Parcel:
    """Records in offset order, as the driver gave them, and the bytes of their values."""

    records: Sequence[Any]
    size: int


def cut_parcels(records: Sequence[Any], most_records: int, most_bytes: int) -> Iterator[Parcel]:
    """Yield parcels within both limits; a larger record goes alone."""
    start, size = 0, 0
    for place, record in enumerate(records):
        length = len(record.value or b"")
        if place > start and (size + length > most_bytes or place - start == most_records):
            yield Parcel(records[start:place], size)
            start, size = place, 0
        size += length
    if start < len(records):
        yield Parcel(records[start:], size)


class ParcelQueue:
    """Parcels that wait for a batch; the safe consumer bounds the bytes in them."""

    def __init__(self, most_records: int, most_bytes: int) -> None:
        self._most_records = most_records
        self._most_bytes = most_bytes
        self._waiting: deque[Any] = deque()
        self._arrived = asyncio.Event()

    def put(self, event: Any) -> None:
        """Add an event whose value is a parcel."""
        self._waiting.append(event)
        self._arrived.set()

    async def take(self) -> list[Any]:
        """Return what waits, at least one event, as many as make a batch within both limits.

        Nothing waits to become a larger batch: while one is worked on, the next grows by itself.
        """
        await self._arrived.wait()
        batch = [self._waiting.popleft()]
        records, size = len(batch[0].value.records), batch[0].value.size
        while self._waiting:
            parcel: Parcel = self._waiting[0].value
            records, size = records + len(parcel.records), size + parcel.size
            if records > self._most_records or size > self._most_bytes:
                break
            batch.append(self._waiting.popleft())
        if not self._waiting:
            self._arrived.clear()
        return batch


def to_message(tp: TP, parcel: Parcel, generation: int) -> ConsumerMessage:
    """Return a parcel as Faust moves it; its offset is that of its last record."""
    last = parcel.records[-1]
    return ConsumerMessage(
        tp.topic,
        tp.partition,
        last.offset,
        last.timestamp / 1000,
        timestamp_type=1,
        headers=None,
        key=None,
        value=parcel,  # type: ignore[arg-type] # only `ParcelSchema` looks at it
        checksum=None,
        tp=tp,
        generation_id=generation,
    )


class ParcelSchema(faust.Schema[Any, Any]):
    """Hands parcels on as they are: steps decode records, in threads."""

    def compile(self, app: Any, **_: Any) -> Callable[..., Awaitable[Any]]:
        """Return what makes an event of a message."""

        async def decode(message: Any, *, propagate: bool = False) -> Any:
            del propagate
            return app.create_event(None, message.value, None, message)

        return decode
