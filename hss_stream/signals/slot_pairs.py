"""Matching slots of many pairs of sketches at once: the inner loop of every look-up.

Sketches are rows of 128 uint16 (0: empty, never matches), in one byte order on both sides.
"""

from typing import Any

import numpy as np
from numba import int64, types, uint16
from numpy.typing import NDArray

from hss_stream.signals.kernel import kernel

SLOTS = 128
_ROWS = types.Array(uint16, 2, "C", readonly=True)
_NUMBERS = types.Array(int64, 1, "C", readonly=True)


@kernel(types.void(_ROWS, _NUMBERS, _ROWS, _NUMBERS, int64[::1]))
def _count_pairs(pages: Any, page_rows: Any, others: Any, other_rows: Any, counts: Any) -> None:
    for pair in range(page_rows.shape[0]):
        one = page_rows[pair]
        two = other_rows[pair]
        count = 0
        for slot in range(SLOTS):
            value = pages[one, slot]
            count += (value == others[two, slot]) & (value != 0)
        counts[pair] = count


def matching_slots_of_pairs(
    pages: NDArray[np.uint16],
    page_rows: NDArray[np.int64],
    others: NDArray[np.uint16],
    other_rows: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return for each pair (page row, other row) the number of equal filled slots."""
    counts = np.empty(len(page_rows), np.int64)
    _count_pairs(_frozen(pages), _frozen(page_rows), _frozen(others), _frozen(other_rows), counts)
    return counts


def _frozen(array: NDArray[np.generic]) -> NDArray[np.generic]:
    view = array.view()
    view.flags.writeable = False
    return view
