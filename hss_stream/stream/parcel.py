"""Parcels: records of one partition that were fetched together travel through Faust as one event.

Faust spends more on an event (a task, two queues, sensors, reference counts) than we do on reading a
page; a parcel pays that once for many records. Decision 0054 has the figures.
"""

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


def join_parcels(events: Sequence[Any], most_records: int, most_bytes: int) -> Iterator[list[Any]]:
    """Yield runs of events whose parcels together stay within both limits."""
    run: list[Any] = []
    count = size = 0
    for event in events:
        parcel: Parcel = event.value
        if run and (count + len(parcel.records) > most_records or size + parcel.size > most_bytes):
            yield run
            run, count, size = [], 0, 0
        run.append(event)
        count += len(parcel.records)
        size += parcel.size
    if run:
        yield run


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
