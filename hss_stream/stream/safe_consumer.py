"""A Faust consumer that never commits a page that is not done.

Stock Faust acknowledges pages it skips, pages whose agent raised, and pages behind an
unfinished one (decision 0050). Here Faust's own acknowledgements count for nothing: only
`settle`, called by our agents after the effects are stored and the output acknowledged,
moves the ledger, and only the ledger decides what is committed. The class also

- hands records out in parcels where the app asks for it;
- waits for room in the buffer by an event instead of sleeping a second, and counts bytes;
- bounds the wait for pages in hand when partitions are taken away or the worker stops;
- asks a keeper where to start, and tells it what was committed.

Used with Kafka below and with the embedded transport. What it overrides of Faust's inside is
pinned by `tests/unit/stream/test_faust_inside.py`.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Protocol

from aiokafka.errors import KafkaError
from aiokafka.structs import OffsetAndMetadata
from faust.transport.consumer import Consumer
from faust.transport.drivers import aiokafka as kafka_driver
from faust.types import TP

from hss_stream.stream.ledger import PartitionLedger
from hss_stream.stream.parcel import Parcel, cut_parcels, to_message

# How often the list of partitions with room is read again while waiting for records.
POLL_SECONDS = 0.1
ROOM_CHECK_SECONDS = 0.05


class PartitionKeeper(Protocol):
    """Who remembers, outside Kafka, how far each partition got."""

    async def take(self, partitions: set[TP]) -> None:
        """Load what is known about partitions just assigned; called before any of their pages."""

    async def starts(self, committed: Mapping[TP, int | None], ends: Mapping[TP, int]) -> Mapping[TP, int]:
        """Return where to start instead, for partitions that must not start where they were committed."""

    async def committed(self, offsets: Mapping[TP, int]) -> None:
        """Learn that everything below these offsets will never be delivered again."""

    def drop(self, partitions: set[TP]) -> None:
        """Forget partitions that were taken away."""


def _offsets(message: Any) -> list[int]:
    value = message.value
    return [record.offset for record in value.records] if isinstance(value, Parcel) else [message.offset]


class SafeConsumerMixin(Consumer):
    """Mixed in before a Faust consumer; the app is a `StreamApp`, which names what it needs."""

    app: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._ledgers: dict[TP, PartitionLedger] = {}
        self._sizes: dict[tuple[TP, int], int] = {}
        self._held_bytes = 0
        self._room = asyncio.Event()
        self._starts: dict[TP, int] = {}
        self._revoked_at = time.monotonic()
        super().__init__(*args, **kwargs)
        deliver = self.callback

        async def hand_out(message: Any) -> None:
            ledger = self._ledgers.setdefault(message.tp, PartitionLedger())
            for offset in _offsets(message):
                ledger.hand_out(offset)
            self._hold(message)
            await deliver(message)

        self.callback = hand_out

    # What is in hand.

    def _hold(self, message: Any) -> None:
        place = (message.tp, message.offset)
        if place not in self._sizes:
            value = message.value
            self._sizes[place] = value.size if isinstance(value, Parcel) else len(value or b"")
            self._held_bytes += self._sizes[place]

    def settle(self, tp: TP, offsets: Sequence[int]) -> None:
        """Note that offsets are done together: effects stored, output acknowledged."""
        ledger = self._ledgers.get(tp)
        if ledger is not None:
            ledger.settle(offsets)

    def _release(self, tp: TP, offset: int) -> None:
        self._held_bytes -= self._sizes.pop((tp, offset), 0)
        self._room.set()

    def ack(self, message: Any) -> bool:
        """Let Faust forget a message and its bytes; says nothing about committing it."""
        if message.acked:
            return False
        message.acked = True
        self._release(message.tp, message.offset)
        self._unacked_messages.discard(message)
        return True

    def _forget(self, partitions: set[TP]) -> None:
        for tp in partitions:
            self._ledgers.pop(tp, None)
        for place in [place for place in self._sizes if place[0] in partitions]:
            self._held_bytes -= self._sizes.pop(place)
        self._room.set()

    # What is committed.

    def _filter_tps_with_pending_acks(self, topics: Any = None) -> Iterator[TP]:
        return (tp for tp in list(self._ledgers) if topics is None or tp in topics or tp.topic in topics)

    def _new_offset(self, tp: TP) -> int | None:
        ledger = self._ledgers.get(tp)
        return None if ledger is None else ledger.safe_offset

    async def _add_gap(self, tp: TP, offset_from: int, offset_to: int) -> None:
        """Offsets that are never handed out need no acknowledgement."""

    async def _commit_offsets(self, offsets: Mapping[TP, int], start_new_transaction: Any = True) -> bool:  # noqa: FBT002 - Faust's signature
        done = await super()._commit_offsets(offsets, start_new_transaction)
        if done:
            await self.app.keeper.committed(offsets)
        else:
            # Faust has noted them as committed all the same: make it try again.
            for tp in offsets:
                self._committed_offset.pop(tp, None)
        return done

    def progress(self) -> dict[TP, int]:
        """Return how far each owned partition is committed, or where it started."""
        return {tp: self._committed_offset[tp] or self._starts.get(tp, 0) for tp in self.assignment()}

    # Room.

    def _has_room(self) -> bool:
        return bool(self._get_active_partitions()) and self._held_bytes < self.app.buffer_bytes

    def on_buffer_drop(self, tp: TP) -> None:
        """Wake the fetcher as soon as a stream has room."""
        super().on_buffer_drop(tp)
        self._room.set()

    def getmany(self, timeout: float) -> AsyncIterator[tuple[TP, Any]]:
        """Fetch with a short wait, so that partitions that have room again are noticed."""
        short = min(timeout, POLL_SECONDS)
        return self._fetch_parcels(short) if self.app.parcel_limits else super().getmany(short)

    async def _fetch_parcels(self, timeout: float) -> AsyncIterator[tuple[TP, Any]]:  # noqa: ASYNC109 - as getmany
        fetched, active = await self._wait_next_records(timeout)
        generation = self.app.consumer_generation_id
        if not self.flow_active and not self.should_stop:
            # Fetched while partitions were taken away: whoever owns them fetches them again.
            await self.perform_seek()
            return
        for tp, records in (fetched or {}).items():
            for parcel in cut_parcels(records, *self.app.parcel_limits):
                if self.should_stop or not self.flow_active:
                    return
                if generation != self.app.consumer_generation_id:
                    return
                if tp in active or tp in self._buffered_partitions:
                    yield tp, to_message(tp, parcel, generation)

    async def _wait_next_records(self, timeout: float) -> Any:  # noqa: ASYNC109 - Faust's signature
        if self.flow_active and not self._has_room():
            self.app.metrics.buffer_was_full()
            self._room.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._room.wait(), ROOM_CHECK_SECONDS)
            if not self._has_room():
                return {}, set()
        return await super()._wait_next_records(timeout)

    # Partitions come and go.

    async def on_partitions_assigned(self, assigned: set[TP], generation_id: int = 0) -> None:
        """Load what the keeper knows before the first page."""
        await self.app.keeper.take(set(assigned))
        await super().on_partitions_assigned(assigned, generation_id)

    async def perform_seek(self) -> None:
        """Start where the group committed, or where the keeper says."""
        self._forget(set(self._ledgers))
        committed = await self.seek_to_committed()
        ends = await self.highwaters(*committed)
        starts = await self.app.keeper.starts(committed, ends)
        if starts:
            await self.seek_wait(starts)
        for tp, offset in {**committed, **starts}.items():
            self._read_offset[tp] = offset
            self._committed_offset[tp] = committed[tp] or None
            self._starts[tp] = offset or 0
        self.app.metrics.partitions_assigned(len(committed), time.monotonic() - self._revoked_at)

    async def on_partitions_revoked(self, revoked: set[TP]) -> None:
        """Let pages in hand finish and commit them; only then forget them."""
        self._revoked_at = time.monotonic()
        self._active_partitions.difference_update(revoked)
        self._paused_partitions.difference_update(revoked)
        await self._on_partitions_revoked(revoked)
        self._forget(revoked)
        for tp in revoked:
            self._read_offset.pop(tp, None)
            self._committed_offset.pop(tp, None)
        self.app.keeper.drop(set(revoked))

    async def wait_empty(self) -> None:
        """Wait for pages in hand, but not for ever, and commit what is done."""
        end = time.monotonic() + self.app.drain_seconds
        while self._unacked_messages and time.monotonic() < end and not self.should_stop:
            await asyncio.sleep(ROOM_CHECK_SECONDS)
            self._clean_unacked_messages()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.commit_and_end_transactions(), max(end - time.monotonic(), 1.0))


class PatientConsumerThread(kafka_driver.AIOKafkaConsumerThread):
    """A commit that fails is tried again later; stock Faust ends the process."""

    async def _commit(self, offsets: Mapping[TP, int]) -> bool:
        assigned = self.assignment()
        wanted = {
            kafka_driver.ensure_aiokafka_TP(tp): OffsetAndMetadata(offset, "")
            for tp, offset in offsets.items()
            if tp in assigned
        }
        try:
            await self._ensure_consumer().commit(wanted)
        except KafkaError as error:
            self.log.warning("committing failed, will be tried again: %r", error)
            return False
        return True


class SafeKafkaConsumer(SafeConsumerMixin, kafka_driver.Consumer):
    """Faust's Kafka consumer with the ledger in place of its own accounting."""

    def _new_consumer_thread(self) -> PatientConsumerThread:
        return PatientConsumerThread(self, loop=self.loop, beacon=self.beacon)


class IdempotentProducer(kafka_driver.Producer):
    """Faust's producer, asking Kafka to drop the repeats that retries cause."""

    def _settings_extra(self) -> Mapping[str, Any]:
        return {"acks": "all", "enable_idempotence": True}


class Transport(kafka_driver.Transport):
    """The transport behind `kafka://`."""

    Consumer = SafeKafkaConsumer
    Producer = IdempotentProducer
