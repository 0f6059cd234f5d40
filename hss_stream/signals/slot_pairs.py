"""Matching slots of many pairs of sketches at once: the inner loop of every look-up.

Sketches are rows of 128 uint16 (0: empty, never matches), in one byte order on both sides.
"""

from typing import Any

import numpy as np
from numba import int64, types, uint16
from numpy.typing import NDArray

from hss_stream.signals.kernel import Int, Shorts, kernel, kernel_part
from hss_stream.signals.style_sketch import SLOTS

_ROWS = types.Array(uint16, 2, "C", readonly=True)
_NUMBERS = types.Array(int64, 1, "C", readonly=True)


@kernel_part
def equal_slots(ones: Shorts, one: Int, others: Shorts, other: Int) -> Int:
    """Return how many slots of a row here and a row there are filled and equal."""
    count = 0
    for slot in range(SLOTS):
        value = ones[one, slot]
        count += (value == others[other, slot]) & (value != 0)
    return count


@kernel(types.int64(_ROWS, _NUMBERS, _NUMBERS, _ROWS, _NUMBERS, int64, int64[:, ::1]))
def _match_hits(
    pages: Any, page_rows: Any, numbers: Any, others: Any, other_rows: Any, least: Any, found: Any
) -> Any:
    starts = np.zeros(pages.shape[0] + 1, np.int64)
    for hit in range(page_rows.shape[0]):
        starts[page_rows[hit] + 1] += 1
    for page in range(pages.shape[0]):
        starts[page + 1] += starts[page]
    by_page = np.empty(page_rows.shape[0], np.int64)
    for hit in range(page_rows.shape[0]):
        by_page[starts[page_rows[hit]]] = hit
        starts[page_rows[hit]] += 1
    seen = np.full(other_rows.shape[0], -1, np.int64)
    count = 0
    for place in range(by_page.shape[0]):
        page, number = page_rows[by_page[place]], numbers[by_page[place]]
        row = other_rows[number]
        if row < 0 or seen[number] == page:
            continue
        seen[number] = page
        slots = equal_slots(pages, page, others, row)
        if slots >= least:
            found[0, count], found[1, count], found[2, count] = page, number, slots
            count += 1
    return count


def match_hits(
    pages: NDArray[np.uint16],
    page_rows: NDArray[np.int64],
    numbers: NDArray[np.int64],
    others: NDArray[np.uint16],
    other_rows: NDArray[np.int64],
    least: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return page, number and equal filled slots of each distinct hit with at least so many, by page.

    A hit is a row of `pages` and a number; `other_rows` gives the row in `others` of each number, -1
    where there is none.
    """
    found = np.empty((3, len(page_rows)), np.int64)
    count = _match_hits(
        _frozen(pages),
        _frozen(page_rows),
        _frozen(numbers),
        _frozen(others),
        _frozen(other_rows),
        least,
        found,
    )
    return found[0, :count], found[1, :count], found[2, :count]


def _frozen(array: NDArray[np.generic]) -> NDArray[np.generic]:
    view = array.view()
    view.flags.writeable = False
    return view
