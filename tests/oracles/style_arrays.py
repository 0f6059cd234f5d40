"""The style sketch by whole arrays: still by definition, yet fast enough for real corpora."""

import numpy as np

from hss_stream.signals.style_sketch import EMPTY_SLOT
from tests.oracles.style import TABLE

ROTATED = np.array(
    [
        [(word << bits | word >> (64 - bits)) & (2**64 - 1) if bits else word for word in [*TABLE, 0]]
        for bits in range(32)
    ],
    np.uint64,
)


def array_grams(noise: bytes) -> np.ndarray:
    """Return the hash of every overlapping 32-gram, in order."""
    data = np.frombuffer(noise, np.uint8)
    count = max(len(data) - 31, 0)
    value = np.zeros(count, np.uint64)
    for place in range(32):
        value ^= ROTATED[31 - place][data[place : place + count]]
    return value


def array_slots(noise: bytes) -> np.ndarray:
    """Return the least permuted hash of each of 128 slots."""
    grams = array_grams(noise)
    mixed = grams * np.uint64(0xFF51AFD7ED558CCD)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xC4CEB9FE1A85EC53)
    slots = np.full(128, EMPTY_SLOT, np.uint64)
    np.minimum.at(slots, (grams % np.uint64(128)).astype(np.int64), mixed)
    return slots
