"""The step behind `hss.mail`: messages into the campaigns of the store."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import NamedTuple

from hss_stream.observe.metrics import Kind
from hss_stream.steps.events import Origin
from hss_stream.steps.place_mail import MailToPlace, PlaceMails, ScannedMail, scan_mail
from hss_stream.steps.place_page import SourceName
from hss_stream.store.page_marks import Partition
from hss_stream.stream.pieces import read_in_pieces
from hss_stream.stream.record import (
    LATEST_MS,
    RawRecord,
    check_format,
    check_value,
    read_number,
    subject_time,
)
from hss_stream.stream.step import StepResult
from hss_stream.stream.work import OneByOne

MAIL_FORMAT = "1"


class MailInput(NamedTuple):
    """A message as its record holds it."""

    offset: int
    at_ms: int
    raw: bytes


def received_at(record: RawRecord) -> int:
    """Return a message's time; RejectedRecordError when its header is no number."""
    return subject_time(read_number(dict(record.headers), "received-at", 0, LATEST_MS), record.timestamp_ms)


def parse_mail_record(record: RawRecord) -> MailInput:
    """Return the message in a record, or raise RejectedRecordError."""
    check_format(dict(record.headers), MAIL_FORMAT)
    return MailInput(record.place.offset, received_at(record), check_value(record.value))


class MailStep:
    """Gives messages to `PlaceMails`."""

    kind: Kind = "mail"

    def __init__(self, place: PlaceMails, group: str, executor: Executor, threads: int) -> None:
        self._place = place
        self._group = group
        self._executor = executor
        self._threads = threads

    def open_reader(self) -> OneByOne:
        """Return a reader: a message is one record."""
        return OneByOne(parse_mail_record, received_at)

    def _source(self, partition: Partition, incarnation: str = "") -> SourceName:
        return SourceName(self._group, partition.topic, partition.partition, incarnation)

    async def open_source(self, partition: Partition, incarnation: str) -> int:
        """Load the pins of a partition; return its fence."""
        return await self._place.load_pins(self._source(partition, incarnation))

    async def scan(self, partition: Partition, items: Sequence[MailInput]) -> list[ScannedMail]:
        """Read messages in threads."""
        wanted = [
            MailToPlace(Origin(self._group, *partition, one.offset), one.at_ms, one.raw) for one in items
        ]
        return await read_in_pieces(scan_mail, wanted, self._executor, self._threads)

    async def place(self, partition: Partition, scanned: Sequence[ScannedMail]) -> list[StepResult]:
        """Place messages of one partition."""
        del partition
        return [StepResult(one.outcome, one.events) for one in await self._place.place(scanned)]

    async def trim(self, committed: Mapping[Partition, int]) -> None:
        """Forget the pins of committed messages."""
        for partition, offset in committed.items():
            await self._place.trim(self._source(partition), offset)
