"""Whether two sketches match: one function for everybody."""

import numpy as np
import pytest

from hss_stream.verdicts.style_match import (
    THRESHOLD_SLOTS,
    is_same_style,
    matching_slots,
    matching_slots_many,
    sketch_rows,
)


def sketch_of(words):
    """Return the byte form of these slots, the others empty."""
    return np.array([*words, *[0] * (128 - len(words))], ">u2").tobytes()


def test_equal_slots_match():
    """Slots count where both are filled and equal."""
    assert 2 == matching_slots(sketch_of([7, 8, 9]), sketch_of([7, 5, 9, 4]))


def test_empty_slots_never_match():
    """Two empty sketches have nothing in common."""
    assert 0 == matching_slots(sketch_of([]), sketch_of([]))


def test_one_to_many_agrees():
    """One against many is the same as one by one."""
    chance = np.random.default_rng(3)
    sketches = [chance.integers(0, 4, 128).astype(">u2").tobytes() for _ in range(20)]

    assert [matching_slots(sketches[0], other) for other in sketches] == list(
        matching_slots_many(sketches[0], sketch_rows(b"".join(sketches)))
    )


def test_threshold_is_reached():
    """Procedure 2 joins pages from the threshold on, not only above it."""
    assert is_same_style(THRESHOLD_SLOTS)
    assert not is_same_style(THRESHOLD_SLOTS - 1)
    assert is_same_style(20, threshold=20)


def test_wrong_size_is_refused():
    """A cut sketch is an error, not a poor match."""
    with pytest.raises(ValueError, match="256 bytes, not 10"):
        matching_slots(bytes(10), bytes(256))
