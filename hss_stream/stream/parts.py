"""Large bodies that travel in parts: read in order as they arrive, given up by rule.

Everything here is decided by the order of the log alone, so that reading it again from the
first unfinished part gives the same bodies and the same failures:

    part 0 ──▶ reading ──last part──▶ Finished (origin: last part), offsets done
                  └──gap, superseded, too late, too many──▶ GivenUp (origin: first part)
                        └──▶ dead: swallows its later parts ──▶ Released, offsets done

A dead body keeps its offsets open until its last part, another body of its key or the span
ends it. Were they done at once, a restart would meet its later parts without knowing why.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from hss_stream.stream.dead_letter import KeptRecord
from hss_stream.stream.page_record import PageFacts, PartOf, check_body
from hss_stream.stream.record import RawRecord, Reason, RejectedRecordError

# A body not finished after this many offsets, or one more unfinished body than this, is given up.
MAX_SPAN = 10_000
MAX_UNFINISHED = 64
MAX_BODY_BYTES = 64 << 20

Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)


class BodyReader(Protocol[Result_co]):
    """Who reads the bytes of one body as they arrive."""

    def update(self, chunk: bytes) -> None:
        """Read the next bytes."""

    def finish(self) -> Result_co:
        """Return what was read; called once."""


@dataclass(frozen=True)
class Finished(Generic[Result]):
    """A body that is whole; its last part is its origin."""

    last: RawRecord
    facts: PageFacts
    result: Result
    offsets: tuple[int, ...]


@dataclass(frozen=True)
class GivenUp:
    """A body that will never be whole; its first part is its origin. Its offsets are not done yet."""

    first: KeptRecord
    facts: PageFacts
    reason: Reason
    error: str


@dataclass(frozen=True)
class Released:
    """Offsets of a dead body that are done now."""

    offsets: tuple[int, ...]


@dataclass
class _Body(Generic[Result]):
    first: KeptRecord
    facts: PageFacts
    part: PartOf
    reader: BodyReader[Result] | None
    size: int = 0
    next_part: int = 0
    offsets: list[int] = field(default_factory=list)


Ending = Finished[Result] | GivenUp | Released


class BodyAssembler(Generic[Result]):
    """The unfinished and the dead bodies of one partition."""

    def __init__(self, open_reader: Callable[[PageFacts], BodyReader[Result]]) -> None:
        self._open_reader = open_reader
        self._bodies: dict[bytes, _Body[Result]] = {}

    def add(self, record: RawRecord, facts: PageFacts, part: PartOf) -> Iterator[Ending[Result]]:
        """Take one part; yield what it ended."""
        key = record.key or b""
        body = self._bodies.get(key)
        if body is not None and body.part.body_id != part.body_id:
            yield from self._end(key, "superseded by another body of its key")
            body = None
        if body is None:
            yield from self._make_room()
            body = _Body(KeptRecord.of(record), facts, part, self._open_reader(facts))
            self._bodies[key] = body
        body.offsets.append(record.place.offset)
        if body.reader is not None:
            yield from self._read(key, body, record, part)
        if part.part == part.parts - 1 and self._bodies.get(key) is body:
            del self._bodies[key]
            yield Released(tuple(body.offsets))

    def expire(self, offset: int) -> Iterator[Ending[Result]]:
        """Yield the end of bodies that began too long before this offset; call it for every record."""
        for key in [key for key, body in self._bodies.items() if offset - body.offsets[0] > MAX_SPAN]:
            yield from self._end(key, f"unfinished after {MAX_SPAN} offsets")

    def _read(
        self, key: bytes, body: _Body[Result], record: RawRecord, part: PartOf
    ) -> Iterator[Ending[Result]]:
        if body.reader is None:
            return
        try:
            chunk = _checked_part(body, record, part)
        except RejectedRecordError as error:
            body.reader = None
            yield GivenUp(body.first, body.facts, error.reason, str(error))
            return
        body.reader.update(chunk)
        body.next_part += 1
        if body.next_part == part.parts:
            del self._bodies[key]
            yield Finished(record, body.facts, body.reader.finish(), tuple(body.offsets))

    def _make_room(self) -> Iterator[Ending[Result]]:
        alive = [key for key, body in self._bodies.items() if body.reader is not None]
        if len(alive) >= MAX_UNFINISHED:
            oldest = min(alive, key=lambda key: self._bodies[key].offsets[0])
            yield from self._end(oldest, f"more than {MAX_UNFINISHED} bodies unfinished")

    def _end(self, key: bytes, error: str) -> Iterator[Ending[Result]]:
        body = self._bodies.pop(key)
        if body.reader is not None:
            yield GivenUp(body.first, body.facts, "unreadable", error)
        yield Released(tuple(body.offsets))


def _checked_part(body: _Body[Result], record: RawRecord, part: PartOf) -> bytes:
    if part.part != body.next_part or part.parts != body.part.parts:
        raise RejectedRecordError("unreadable", "a part is missing or out of order")
    if part.part == 0:
        check_body(body.facts, record.value)
    body.size += len(record.value or b"")
    if body.size > MAX_BODY_BYTES:
        raise RejectedRecordError("oversized", f"the parts are over {MAX_BODY_BYTES} bytes")
    return record.value or b""
