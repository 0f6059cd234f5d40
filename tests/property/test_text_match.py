"""Signatures written as slots: exactly the coordinates that agree match, and nothing else does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hss_stream.verdicts.style_match import matching_slots
from hss_stream.verdicts.text_match import (
    COORDINATES,
    JOIN_SLOTS,
    computed_coordinates,
    matching_coordinates,
    text_sketch,
)

LEXICON = 0x1234
signatures = st.lists(
    st.just(0) | st.integers(0, 3) | st.integers(0, 2**64 - 1), min_size=COORDINATES, max_size=COORDINATES
)


@given(signatures, signatures)
def test_slots_count_equal_coordinates(one, two):
    """Matching slots say how many coordinates agree; null ones never do, and one is enough to join."""
    equal = sum(a == b != 0 for a, b in zip(one, two, strict=True))
    slots = matching_slots(text_sketch(LEXICON, one), text_sketch(LEXICON, two))

    assert equal == matching_coordinates(slots)
    assert (equal > 0) == (slots >= JOIN_SLOTS)


@given(signatures)
def test_lexicons_never_match(one):
    """Texts read with two lexicons are strangers, even where their signatures agree by chance."""
    assert matching_slots(text_sketch(1, one), text_sketch(2, one)) < JOIN_SLOTS


@given(signatures)
def test_null_coordinates_leave_no_mark(one):
    """A null signature fills no slot, so it can neither be found nor match."""
    filled = np.count_nonzero(np.frombuffer(text_sketch(LEXICON, one), ">u2"))

    assert computed_coordinates(one) * 11 == filled


def test_same_value_in_other_coordinate_is_a_stranger():
    """A signature says something only together with its coordinate."""
    first = text_sketch(LEXICON, [7] + [0] * 10)
    second = text_sketch(LEXICON, [0, 7] + [0] * 9)

    assert matching_slots(first, second) < JOIN_SLOTS


def test_wrong_number_is_refused():
    """A fingerprint of another shape is an error of ours, not a document without text."""
    with pytest.raises(ValueError, match="11 signatures"):
        text_sketch(LEXICON, [1, 2, 3])
