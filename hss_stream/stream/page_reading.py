"""From records to work: which are pages, which belong to a large body, which are dead letters.

Reading a record has no effect outside the partition's own state, and runs in a thread.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from hss_stream.store.page_marks import Partition, PartitionMarks
from hss_stream.stream.dead_letter import WHOLE_BYTES, KeptRecord, Verdict
from hss_stream.stream.page_record import PageFacts, RawRecord, RejectedPageError, check_body, read_facts
from hss_stream.stream.page_step import PageInput
from hss_stream.stream.parts import BodyAssembler, BodyReader, Finished, GivenUp


@dataclass(frozen=True, slots=True)
class PageWork:
    """A page to place; `settles` are the offsets that are done with it."""

    page: PageInput
    record: RawRecord
    settles: tuple[int, ...]


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


Work = PageWork | LetterWork | SettleWork


@dataclass
class PartitionState:
    """What a worker holds of a partition while it owns it."""

    partition: Partition
    bodies: BodyAssembler[object]
    letters: dict[int, bytes] = field(default_factory=dict)
    # Offsets that were in hand when a worker ended: read one by one until past them.
    suspect_first: int = 0
    suspect_last: int = -1
    tries: int = 0
    # First offsets of batches that are read but not in the store yet.
    in_hand: deque[int] = field(default_factory=deque)

    @classmethod
    def of_marks(
        cls,
        partition: Partition,
        marks: PartitionMarks,
        fence: int,
        open_reader: Callable[[PageFacts], BodyReader[object]],
    ) -> "PartitionState":
        """Return the state a partition begins with; what is pinned up to the fence is beyond suspicion."""
        return cls(
            partition,
            BodyAssembler(open_reader),
            dict(marks.letters or {}),
            max(marks.first, fence + 1),
            marks.last,
            marks.tries,
        )

    def is_suspect(self, offset: int) -> bool:
        """Tell whether an offset was in hand when a worker ended."""
        return self.suspect_first <= offset <= self.suspect_last

    def earlier_tries(self, offset: int) -> int:
        """Return how often an offset was in hand alone when a worker ended."""
        return self.tries if self.is_suspect(offset) else 0

    def read(self, records: Iterable[RawRecord]) -> list[Work]:
        """Return the work in records, in their order."""
        return [work for record in records for work in self._read_record(record)]

    def _read_record(self, record: RawRecord) -> Iterator[Work]:
        offset = record.place.offset
        yield from map(self._ended, self.bodies.expire(offset))
        try:
            facts = read_facts(record)
            if facts.part is None:
                page = PageInput(offset, facts, check_body(facts, record.value))
                yield PageWork(page, record, (offset,))
                return
        except RejectedPageError as error:
            verdict = Verdict(error.reason, f"{type(error).__name__}: {error}", 1)
            yield rejected(record, verdict, (offset,))
            return
        yield from map(self._ended, self.bodies.add(record, facts, facts.part))

    @staticmethod
    def _ended(ending: object) -> Work:
        if isinstance(ending, Finished):
            page = PageInput(ending.last.place.offset, ending.facts, None, ending.result)
            return PageWork(page, ending.last, ending.offsets)
        if isinstance(ending, GivenUp):
            verdict = Verdict(ending.reason, f"{RejectedPageError.__name__}: {ending.error}", 1)
            return LetterWork(ending.first, ending.facts.at_ms, verdict, ())
        return SettleWork(ending.offsets)  # type: ignore[attr-defined] # Released is all that is left


def rejected(record: RawRecord, verdict: Verdict, settles: tuple[int, ...]) -> LetterWork:
    """Return the dead letter of a record."""
    try:
        at_ms = read_facts(record).at_ms
    except RejectedPageError:
        at_ms = record.timestamp_ms
    return LetterWork(KeptRecord.of(record, WHOLE_BYTES), at_ms, verdict, settles)
