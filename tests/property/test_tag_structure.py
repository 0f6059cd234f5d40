"""Tag distances equal their definitions, and R ≤ F ≤ D."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hss_stream.signals.tag_structure import (
    StructureTable,
    cascade_distance,
    distance_below,
    length_distance,
    rough_distance,
    tag_distance,
    tag_structure,
)
from tests.oracles.slow_structure import slow_length_distance, slow_rough_distance, slow_tag_distance

NAMES = [
    "a",
    "b",
    "p",
    "td",
    "tr",
    "div",
    "span",
    "table",
    "script",
    "blockquote",
    "figcaption",
    "my-element-x",
]
names = st.one_of(
    st.lists(st.sampled_from(NAMES), max_size=40),
    # Over 64 tags the bit-parallel routine carries from word to word.
    st.lists(st.sampled_from(NAMES[:4]), min_size=60, max_size=100),
)
thresholds = st.floats(0, 1)


def structure(page):
    """Return the structure of a list of tag names."""
    tags = np.array([NAMES.index(name) for name in page], np.uint16)
    lengths = np.bincount([min(len(name), 11) - 1 for name in page], minlength=11).astype(np.int64)
    return tag_structure(tags, lengths)


@settings(max_examples=60)
@given(names, names)
def test_distances_equal_their_definitions(a, b):
    """R, F and D are what the paper's formulas say, and each bounds the next from below."""
    one, other = structure(a), structure(b)
    r, f, d = rough_distance(one, other), length_distance(one, other), tag_distance(one, other)

    assert pytest.approx(slow_rough_distance(a, b)) == r
    assert pytest.approx(slow_length_distance(a, b)) == f
    assert pytest.approx(slow_tag_distance(a, b)) == d
    assert 0 <= r <= f <= d <= 1


@given(names, names, names)
def test_distance_is_a_metric(a, b, c):
    """D is symmetric, 0 for equal pages, and keeps the triangle inequality that M-FPF stops by."""
    one, other, third = structure(a), structure(b), structure(c)

    assert 0 == tag_distance(one, one)
    assert tag_distance(one, other) == tag_distance(other, one)
    assert tag_distance(one, third) <= tag_distance(one, other) + tag_distance(other, third) + 1e-12


@given(names, names, thresholds)
def test_cascade_stops_at_the_first_above(a, b, threshold):
    """The paper's cascade answers with the first of R, F, D above the threshold, or else with D."""
    one, other = structure(a), structure(b)
    values = {"R": rough_distance(one, other), "F": length_distance(one, other)}
    expected = next((name for name, value in values.items() if value > threshold), "D")
    found = cascade_distance(one, other, threshold)

    assert expected == found.last
    assert found.value == values.get(expected, tag_distance(one, other))


@given(names, names, thresholds)
def test_lossless_cascade_loses_nothing(a, b, limit):
    """Below the limit the answer is D itself; else it is no more than D and not below the limit."""
    one, other = structure(a), structure(b)
    exact = tag_distance(one, other)
    found = distance_below(one, other, limit)

    if exact < limit:
        assert (exact, "D") == (found.value, found.last)
    else:
        assert limit <= found.value <= max(exact, limit)


@given(st.lists(names, min_size=1, max_size=5))
def test_table_equals_single_distances(pages):
    """One page against many gives the same distances as one by one."""
    structures = [structure(page) for page in pages]
    table = StructureTable(structures)
    everyone = np.arange(len(pages))

    for distances, single in [
        (table.rough_distances(0, everyone), rough_distance),
        (table.length_distances(0, everyone), length_distance),
        (table.tag_distances(0, everyone), tag_distance),
    ]:
        assert [single(structures[0], other) for other in structures] == distances.tolist()
