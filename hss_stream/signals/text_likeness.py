"""A very small sketch of a page's words, to tell copies of a text from pages that share only a layout.

Word hashes are taken four at a time; each such shingle falls into one of 16 parts, and each part keeps
the least mixed hash, of which one byte is stored (0: no shingle fell there). The share of equal parts
estimates the resemblance of two texts to about a tenth: enough for the class of a cluster, where it is
averaged over pages, and for nothing else.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types, uint64
from numpy.typing import NDArray

from hss_stream.signals.kernel import kernel

PARTS = 16
SHINGLE_WORDS = 4
EMPTY = b"\0" * PARTS

_WORDS_IN = types.Array(uint64, 1, "C", readonly=True)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xFF51AFD7ED558CCD)
_THIRTY_TWO = np.uint64(32)
_PART_MASK = np.uint64(PARTS - 1)
_LAST = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel(types.void(_WORDS_IN, uint64[::1]))
def _keep_least(words: Any, least: Any) -> None:
    for start in range(words.shape[0] - SHINGLE_WORDS + 1):
        mixed = uint64(0)
        for ahead in range(SHINGLE_WORDS):
            mixed = (mixed ^ words[start + ahead]) * _FACTOR
            mixed ^= mixed >> _THIRTY_TWO
        part = mixed & _PART_MASK
        value = mixed * _MIX
        value ^= value >> _THIRTY_TWO
        least[part] = min(least[part], value)


def text_parts(words: NDArray[np.uint64]) -> bytes:
    """Return the 16 bytes for a text given as the hashes of its words."""
    least = np.full(PARTS, _LAST, np.uint64)
    frozen = words.view()
    frozen.flags.writeable = False
    _keep_least(frozen, least)
    stored = (least % np.uint64(255) + np.uint64(1)).astype(np.uint8)
    stored[least == _LAST] = 0
    return stored.tobytes()


def alike_parts(one: bytes, two: bytes) -> tuple[int, int]:
    """Return how many parts are equal, and how many filled on either side; (0, 0) without two texts."""
    if one in {b"", EMPTY} or two in {b"", EMPTY}:
        return 0, 0
    filled = equal = 0
    for first, second in zip(one, two, strict=True):
        if first or second:
            filled += 1
            equal += first == second
    return equal, filled


def alike_parts_many(ones: Sequence[bytes], twos: Sequence[bytes]) -> list[tuple[int, int]]:
    """Return `alike_parts` of many pairs at once."""
    first, second = _part_rows(ones), _part_rows(twos)
    filled = (first | second) != 0
    filled &= first.any(axis=1, keepdims=True) & second.any(axis=1, keepdims=True)
    equal = np.count_nonzero(filled & (first == second), axis=1)
    return list(zip(equal.tolist(), np.count_nonzero(filled, axis=1).tolist(), strict=True))


def _part_rows(texts: Sequence[bytes]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join([text or EMPTY for text in texts]), np.uint8).reshape(-1, PARTS)
