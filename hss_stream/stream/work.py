"""From records to work: what is placed, what is a dead letter, which offsets are done with it.

Reading a record has no effect outside the reader of its partition, and runs in a thread. What it gives
depends on the order of the log alone, so that reading again gives the same.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from hss_stream.stream.dead_letter import WHOLE_BYTES, KeptRecord, Verdict
from hss_stream.stream.record import RawRecord, RejectedRecordError


@dataclass(frozen=True, slots=True)
class ItemWork:
    """Something to place, as its reader gave it; `settles` are the offsets that are done with it."""

    item: Any
    record: RawRecord
    settles: tuple[int, ...]

    @property
    def offset(self) -> int:
        """The offset it has its origin from."""
        return self.record.place.offset


@dataclass(frozen=True, slots=True)
class LetterWork:
    """A dead letter to send; `settles` are the offsets that are done with it."""

    kept: KeptRecord
    at_ms: int
    verdict: Verdict
    settles: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SettleWork:
    """Offsets that are done once everything before them is."""

    settles: tuple[int, ...]


Work = ItemWork | LetterWork | SettleWork


class RecordReader(Protocol):
    """Reads the records of one partition while a worker owns it."""

    def read(self, record: RawRecord) -> Iterator[Work]:
        """Yield the work in a record; called once for each, in the order of the log."""

    def time_of(self, record: RawRecord) -> int:
        """Return the time a dead letter of a record bears, in milliseconds; raises nothing."""


class OneByOne:
    """Reads topics whose records stand for themselves.

    `parse` returns what the step places, or raises RejectedRecordError; `time_of` may raise it too, and
    then Kafka's time of the record stands.
    """

    def __init__(
        self,
        parse: Callable[[RawRecord], Any],
        time_of: Callable[[RawRecord], int] = lambda record: record.timestamp_ms,
    ) -> None:
        self._parse = parse
        self._time_of = time_of

    def read(self, record: RawRecord) -> Iterator[Work]:
        """Yield the one piece of work in a record."""
        offset = record.place.offset
        try:
            yield ItemWork(self._parse(record), record, (offset,))
        except RejectedRecordError as error:
            yield refused(record, self.time_of(record), error)

    def time_of(self, record: RawRecord) -> int:
        """Return the time a dead letter of a record bears."""
        try:
            return self._time_of(record)
        except RejectedRecordError:
            return record.timestamp_ms


def dead(record: RawRecord, at_ms: int, verdict: Verdict, settles: tuple[int, ...]) -> LetterWork:
    """Return the dead letter of a record."""
    return LetterWork(KeptRecord.of(record, WHOLE_BYTES), at_ms, verdict, settles)


def refused(record: RawRecord, at_ms: int, error: RejectedRecordError) -> LetterWork:
    """Return the dead letter of a record that cannot be read."""
    verdict = Verdict(error.reason, f"{type(error).__name__}: {error}", 1)
    return dead(record, at_ms, verdict, (record.place.offset,))
