"""Parcels keep the order of records and their limits."""

import asyncio
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from hss_stream.stream.parcel import Parcel, ParcelQueue, cut_parcels


@dataclass(frozen=True)
class Fetched:
    """A record of some size."""

    offset: int
    value: bytes | None


@dataclass(frozen=True)
class Taken:
    """An event that holds a parcel."""

    value: Parcel


RECORDS = st.lists(st.integers(0, 20), max_size=30).map(
    lambda sizes: [Fetched(place, b"x" * size or None) for place, size in enumerate(sizes)]
)


@given(RECORDS, st.integers(1, 6), st.integers(1, 40))
def test_parcels_hold_all_in_order(records, most_records, most_bytes):
    """Cutting loses and reorders nothing; only a single record may be over the limit of bytes."""
    parcels = list(cut_parcels(records, most_records, most_bytes))

    assert records == [record for parcel in parcels for record in parcel.records]
    for parcel in parcels:
        assert parcel.size == sum(len(record.value or b"") for record in parcel.records)
        assert 0 < len(parcel.records) <= most_records
        assert parcel.size <= most_bytes or len(parcel.records) == 1


@given(RECORDS, st.integers(1, 6), st.integers(1, 40), st.integers(6, 12), st.integers(40, 80))
def test_batches_hold_whole_parcels(records, most_records, most_bytes, batch_records, batch_bytes):
    """Taking keeps parcels whole and in order, within the limits of a batch."""

    async def take_all():
        queue = ParcelQueue(batch_records, batch_bytes)
        for event in events:
            queue.put(event)
        batches = []
        while sum(map(len, batches)) < len(events):
            batches.append(await queue.take())
        return batches

    events = [Taken(parcel) for parcel in cut_parcels(records, most_records, most_bytes)]
    batches = asyncio.run(take_all())

    assert events == [event for batch in batches for event in batch]
    for batch in batches:
        assert sum(len(event.value.records) for event in batch) <= batch_records
        assert sum(event.value.size for event in batch) <= batch_bytes
