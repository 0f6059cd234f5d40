"""Sending dead letters back to where they came from, once somebody has mended the cause.

Each reason has a position of its own (a consumer group `<group>.redrive.<reason>`), so a letter is
sent back once however often the command runs. A worker that died before it committed sends its
letters again, under the same id; only the first of them goes back. The header `redrives` counts how
often a page went round; one that did so too often stays. Letters that are not whole cannot be sent back.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaError

from hss_stream.errors import StreamError
from hss_stream.stream.dead_letter import PREFIX
from hss_stream.stream.record import Reason
from hss_stream.stream.topics import MAX_REQUEST_BYTES, Topics

REASONS: tuple[Reason, ...] = get_args(Reason)
COUNT_HEADER = "redrives"
FETCH_SECONDS = 1.0
# A letter sent again follows the first within what a worker holds; so far back their ids are known.
KNOWN_LETTERS = 10_000

Action = Literal["sent", "would_send", "too_often", "truncated", "part_of_body", "foreign_topic", "repeated"]


@dataclass(frozen=True)
class RedrivePlan:
    """What to send back, and how."""

    reasons: Sequence[Reason] = REASONS
    dry_run: bool = False
    most_redrives: int = 3
    limit: int | None = None
    pause_seconds: float = 0.0


@dataclass(frozen=True)
class Redriven:
    """What became of one letter."""

    origin: str
    reason: str
    action: Action


def judge_letter(headers: Mapping[str, bytes], topics: Topics, most_redrives: int) -> Action:
    """Return what may be done with a letter."""
    topic = headers.get(PREFIX + "origin", b"").decode(errors="replace").split("/")[-3:-2]
    if topic not in ([topics.pages], [topics.mail]):
        return "foreign_topic"
    if PREFIX + "truncated" in headers:
        return "truncated"
    if "body-id" in headers:
        return "part_of_body"
    if int(headers.get(COUNT_HEADER, b"0")) >= most_redrives:
        return "too_often"
    return "would_send"


def original_headers(headers: Sequence[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Return the headers a page had, with the count of its redrives raised."""
    count = int(dict(headers).get(COUNT_HEADER, b"0")) + 1
    kept = [pair for pair in headers if not pair[0].startswith(PREFIX) and pair[0] != COUNT_HEADER]
    return [*kept, (COUNT_HEADER, str(count).encode())]


class SeenIds:
    """The ids of the letters read last."""

    def __init__(self, most: int = KNOWN_LETTERS) -> None:
        self._most = most
        self._ids: dict[bytes, None] = {}

    def is_new(self, letter_id: bytes) -> bool:
        """Tell whether an id is seen for the first time, and remember it."""
        if letter_id in self._ids:
            return False
        self._ids[letter_id] = None
        if len(self._ids) > self._most:
            del self._ids[next(iter(self._ids))]
        return True


class Redriver:
    """Reads dead letters up to where they end now, and sends back what may go."""

    def __init__(
        self, servers: Sequence[str], options: Mapping[str, Any], topics: Topics, group: str
    ) -> None:
        self._servers = list(servers)
        self._options = options
        self._topics = topics
        self._group = group
        self._sent = 0

    async def run(self, plan: RedrivePlan) -> AsyncIterator[Redriven]:
        """Yield what became of each letter of the wanted reasons."""
        producer = AIOKafkaProducer(
            bootstrap_servers=self._servers,
            enable_idempotence=True,
            max_request_size=MAX_REQUEST_BYTES,
            **self._options,
        )
        try:
            await producer.start()
            for reason in plan.reasons:
                async for done in self._run_reason(reason, plan, producer):
                    self._sent += done.action in {"sent", "would_send"}
                    yield done
        except KafkaError as error:
            raise StreamError(f"redriving dead letters: {error!r}; what was sent stays sent") from error
        finally:
            await producer.stop()

    async def _run_reason(self, reason: Reason, plan: RedrivePlan, producer: Any) -> AsyncIterator[Redriven]:
        consumer = AIOKafkaConsumer(
            bootstrap_servers=self._servers,
            group_id=f"{self._group}.redrive.{reason}",
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            **self._options,
        )
        await consumer.start()
        try:
            numbers = await producer.partitions_for(self._topics.dead_letters)
            seen = SeenIds()
            async for record, is_known in _records_to_end(consumer, self._topics.dead_letters, numbers):
                is_new = seen.is_new(dict(record.headers).get(PREFIX + "id", b""))
                if is_known:
                    continue
                if plan.limit is not None and self._sent >= plan.limit:
                    break
                headers = dict(record.headers)
                if headers.get(PREFIX + "reason") == reason.encode():
                    action: Action = "repeated"
                    if is_new:
                        action = await self._redrive(record, headers, plan, producer)
                    yield Redriven(headers[PREFIX + "origin"].decode(), reason, action)
                if not plan.dry_run:
                    await consumer.commit({TopicPartition(record.topic, record.partition): record.offset + 1})
        finally:
            await consumer.stop()

    async def _redrive(
        self, record: Any, headers: Mapping[str, bytes], plan: RedrivePlan, producer: Any
    ) -> Action:
        action = judge_letter(headers, self._topics, plan.most_redrives)
        if action != "would_send" or plan.dry_run:
            return action
        topic = headers[PREFIX + "origin"].decode().rsplit("/", 2)[0].rsplit("/", 1)[1]
        await producer.send_and_wait(
            topic, record.value, record.key, headers=original_headers(record.headers)
        )
        await asyncio.sleep(plan.pause_seconds)
        return "sent"


async def _records_to_end(consumer: Any, topic: str, numbers: set[int]) -> AsyncIterator[tuple[Any, bool]]:
    """Yield the records of a topic to where they end now, and whether each was read by an earlier run."""
    partitions = [TopicPartition(topic, number) for number in sorted(numbers)]
    consumer.assign(partitions)
    ends = await consumer.end_offsets(partitions)
    positions = {tp: await consumer.position(tp) for tp in partitions}
    open_partitions = {tp for tp in partitions if positions[tp] < ends[tp]}
    begins = await consumer.beginning_offsets(list(open_partitions))
    for tp in open_partitions:
        consumer.seek(tp, max(positions[tp] - KNOWN_LETTERS, begins[tp]))
    while open_partitions:
        fetched = await consumer.getmany(*open_partitions, timeout_ms=int(FETCH_SECONDS * 1000))
        for records in fetched.values():
            for record in records:
                tp = TopicPartition(record.topic, record.partition)
                if record.offset < ends[tp]:
                    yield record, record.offset < positions[tp]
        open_partitions = {tp for tp in open_partitions if await consumer.position(tp) < ends[tp]}
