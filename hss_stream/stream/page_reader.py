"""Reads `hss.pages`: most records are pages, some are parts of large ones."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hss_stream.stream.dead_letter import Verdict
from hss_stream.stream.page_record import PageFacts, check_body, read_facts
from hss_stream.stream.parts import BodyAssembler, BodyReader, Ending, Finished, GivenUp
from hss_stream.stream.record import RawRecord, RejectedRecordError
from hss_stream.stream.work import ItemWork, LetterWork, SettleWork, Work, refused


@dataclass(frozen=True, slots=True)
class PageInput:
    """A page to place: its body, or what was read of it part by part."""

    offset: int
    facts: PageFacts
    body: bytes | None
    scan: Any = None


class PageReader:
    """The pages of one partition, with its unfinished large bodies."""

    def __init__(self, open_body: Callable[[PageFacts], BodyReader[object]]) -> None:
        self._bodies = BodyAssembler(open_body)

    def read(self, record: RawRecord) -> Iterator[Work]:
        """Yield the pages and dead letters that end with a record."""
        offset = record.place.offset
        yield from map(_ended, self._bodies.expire(offset))
        try:
            facts = read_facts(record)
            if facts.part is None:
                page = PageInput(offset, facts, check_body(facts, record.value))
                yield ItemWork(page, record, (offset,))
                return
        except RejectedRecordError as error:
            yield refused(record, self.time_of(record), error)
            return
        yield from map(_ended, self._bodies.add(record, facts, facts.part))

    def time_of(self, record: RawRecord) -> int:
        """Return the page's time; Kafka's where its headers are no page's."""
        try:
            return read_facts(record).at_ms
        except RejectedRecordError:
            return record.timestamp_ms


def _ended(ending: Ending[object]) -> Work:
    if isinstance(ending, Finished):
        page = PageInput(ending.last.place.offset, ending.facts, None, ending.result)
        return ItemWork(page, ending.last, ending.offsets)
    if isinstance(ending, GivenUp):
        verdict = Verdict(ending.reason, f"{RejectedRecordError.__name__}: {ending.error}", 1)
        return LetterWork(ending.first, ending.facts.at_ms, verdict, ())
    return SettleWork(ending.offsets)
