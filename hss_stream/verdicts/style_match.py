"""Whether two pages were made by the same hand: the one function that everybody asks.

Sketches are compared in their byte form (128 pairs of bytes). Procedure 2 of the paper says "more than
t", its section 4.2 "at least 35": at least it is. An empty slot is equal to nothing, not even to another.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from hss_stream.signals.kernel import Integers, Shorts, kernel
from hss_stream.signals.slot_pairs import equal_slots
from hss_stream.signals.style_sketch import SLOTS

# Of 128 slots, from section 4.2 of the paper; at 20, unrelated news sites begin to match.
THRESHOLD_SLOTS = 35

SKETCH_BYTES = 2 * SLOTS

_ROWS_IN = types.Array(types.uint16, 2, "C", readonly=True)


def matching_slots(first: bytes, second: bytes) -> int:
    """Return how many slots of two sketches are filled and equal, in [0, 128]."""
    one, other = _sketch_row(first), _sketch_row(second)
    return int(np.count_nonzero((one == other) & (one != 0)))


def is_same_style(matching: int, threshold: int = THRESHOLD_SLOTS) -> bool:
    """Tell whether this many matching slots make two pages the work of one generator."""
    return matching >= threshold


def matching_slots_many(one: bytes, many: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Return the matching slots of one sketch with each row of many (n x 128, bytes as stored)."""
    counts = np.empty(len(many), np.int64)
    _count_matches(_sketch_row(one).reshape(1, SLOTS), np.ascontiguousarray(many), counts)
    return counts


def sketch_rows(sketches: bytes) -> NDArray[np.uint16]:
    """Return joined byte forms as rows for `matching_slots_many`, without a copy."""
    return np.frombuffer(sketches, np.uint16).reshape(-1, SLOTS)


def _sketch_row(sketch: bytes) -> NDArray[np.uint16]:
    # Read in the machine's own order: only equality and zero matter.
    row = np.frombuffer(sketch, np.uint16)
    if len(row) != SLOTS:
        raise ValueError(f"comparing styles: a sketch has {SKETCH_BYTES} bytes, not {len(sketch)}")
    return row


@kernel(types.void(_ROWS_IN, _ROWS_IN, types.int64[::1]), allocates=False)
def _count_matches(one: Shorts, many: Shorts, counts: Integers) -> None:
    for row in range(many.shape[0]):
        counts[row] = equal_slots(one, 0, many, row)
