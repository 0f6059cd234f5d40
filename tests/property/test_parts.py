"""Bodies in parts: whole ones are read, others die once, and reading again says the same again."""

from hypothesis import given
from hypothesis import strategies as st

from hss_stream.stream.ledger import PartitionLedger
from hss_stream.stream.page_record import PageFacts, PartOf
from hss_stream.stream.parts import MAX_SPAN, MAX_UNFINISHED, BodyAssembler, Finished, GivenUp, Released
from hss_stream.stream.record import Place, RawRecord
from tests.oracles.slow_parts import slow_whole_bodies
from tests.stream_harness import JoiningReader


def make_record(offset, key, body_id, part, parts, chunk):
    """Return one part as Kafka gives it, and its facts."""
    place = Place("hss.pages", 0, offset)
    part_of = PartOf(body_id, part, parts)
    return RawRecord(place, 0, key, chunk, ()), PageFacts("http://a.example/", 0, None, None, (), part_of)


def run(rows):
    """Return everything the assembler says about rows, with the offset at which it said it."""
    assembler = BodyAssembler(lambda _: JoiningReader())
    said = []
    for row in rows:
        record, facts = make_record(*row)
        said += [(row[0], ending) for ending in assembler.expire(row[0])]
        said += [(row[0], ending) for ending in assembler.add(record, facts, facts.part)]
    return said


@st.composite
def partitions(draw):
    """Rows of a partition: a few keys, whole bodies and noise, interleaved."""
    rows, offset = [], 0
    count = draw(st.integers(0, 12))
    for number in range(count):
        offset += draw(st.sampled_from([1, 1, 1, 2, MAX_SPAN]))
        parts = draw(st.integers(1, 4))
        key, body_id = draw(st.sampled_from([b"k", b"l"])), draw(st.sampled_from([b"1", b"2"]))
        known = [row for row in rows if row[1] == key and row[2] == body_id]
        if known and draw(st.integers(0, 9)) < 8:
            part, parts = (known[-1][3] + 1) % known[-1][4], known[-1][4]
        else:
            part = draw(st.integers(0, parts - 1))
        rows.append((offset, key, body_id, part, parts, b"%d" % number))
    return rows


@given(partitions())
def test_whole_bodies_equal_the_definition(rows):
    """A body whose parts are all there in order is read; no other is."""
    said = run(rows)

    assert slow_whole_bodies(rows) == sorted(
        (end.last.place.offset, end.result) for _, end in said if isinstance(end, Finished)
    )


@given(partitions())
def test_every_offset_is_settled_once(rows):
    """No offset is done twice, and one that is not done belongs to a body that is still open."""
    said = run(rows)
    settled = [offset for _, end in said if isinstance(end, Finished | Released) for offset in end.offsets]

    assert len(settled) == len(set(settled))
    assert set(settled) <= {row[0] for row in rows}


@given(partitions(), st.data())
def test_reading_again_says_the_same(rows, data):
    """A worker that starts again at the committed offset says what the first one would have said.

    It may repeat what was said since that offset, in the same words, and misses nothing.
    """
    if not rows:
        return
    stop = data.draw(st.integers(1, len(rows)))
    before = run(rows[:stop])
    ledger = PartitionLedger()
    for row in rows[:stop]:
        ledger.hand_out(row[0])
    for _, end in before:
        if isinstance(end, Finished | Released):
            ledger.settle(end.offsets)
    again = run([row for row in rows if row[0] >= (ledger.safe_offset or 0)])
    undisturbed = run(rows)
    letters = [end for _, end in undisturbed if isinstance(end, GivenUp | Finished)]
    heard = [end for _, end in before + again if isinstance(end, GivenUp | Finished)]

    assert {repr(end) for end in letters} == {repr(end) for end in heard}


def test_too_many_bodies_cost_the_oldest():
    """One more unfinished body than allowed gives up the oldest, and only that one."""
    rows = [(n, b"%d" % n, b"id", 0, 2, b"x") for n in range(MAX_UNFINISHED + 1)]
    said = run(rows)

    assert [0] == [end.first.place.offset for _, end in said if isinstance(end, GivenUp)]
