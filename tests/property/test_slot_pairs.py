"""Hits are matched as comparing every pair would; likeness of many texts is that of each."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hss_stream.signals.slot_pairs import match_hits
from hss_stream.signals.style_sketch import SLOTS
from hss_stream.signals.text_likeness import EMPTY, alike_parts, alike_parts_many

hits = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=20)
texts = st.lists(
    st.tuples(*[st.just(b"") | st.just(EMPTY) | st.binary(min_size=16, max_size=16)] * 2), max_size=9
)


@given(hits, st.integers(0, 1000), st.integers(0, SLOTS))
def test_hits_equal_comparing_pairs(found, seed, least):
    """Every distinct hit with enough equal filled slots comes once, pages in order."""
    random = np.random.default_rng(seed)
    pages, others = (random.integers(0, 3, (rows, SLOTS)).astype(np.uint16) for rows in (4, 5))
    other_rows = np.array([4, 1, -1, 0, 2])
    rows, numbers = (np.array([hit[part] for hit in found], np.int64) for part in (0, 1))

    expected = set()
    for page, number in found:
        equal = (pages[page] == others[other_rows[number]]) & (pages[page] != 0)
        if other_rows[number] >= 0 and equal.sum() >= least:
            expected.add((page, number, int(equal.sum())))
    got = list(
        zip(
            *(part.tolist() for part in match_hits(pages, rows, numbers, others, other_rows, least)),
            strict=True,
        )
    )
    assert (expected, len(expected)) == (set(got), len(got))
    assert [page for page, _, _ in got] == sorted(page for page, _, _ in got)


@given(texts)
def test_many_likenesses(pairs):
    """Likeness of many pairs equals that of each."""
    ones, twos = [one for one, _ in pairs], [two for _, two in pairs]

    assert [alike_parts(one, two) for one, two in pairs] == alike_parts_many(ones, twos)
