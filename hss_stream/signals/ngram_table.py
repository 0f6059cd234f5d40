"""The n-grams of a language model as one array of 64-bit slots, found by hash alone.

No word is stored. The key of an n-gram is a hash of the hashes of its words, and a slot holds 24 bits of
the key beside four 10-bit codes into small tables of values:

    63      40 39      30 29      20 19      10 9        0
    fingerprint|  maximum |  penalty |  backoff | probability

As an n-gram (h, w) it has log2 p(w | h) and the penalty S(h, w); as a history of longer n-grams it has the
weight of backing off and the greatest penalty after it (code 0: not a known history). Slots come in buckets
of eight, one cache line; each order has its own run of buckets, and a full bucket spills into the next.
A word sequence that is not in the model is taken for one that is with a chance of about 5e-7 a look-up.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from hss_stream.signals.kernel import kernel, kernel_part, load_item, store_item

ORDERS = 4
BUCKET_SLOTS = 8
# Values a code can name. Half a step of the widest table is 0.02 bits (docs/algorithms/faketext.md).
CODE_BITS = 10
CODES = 1 << CODE_BITS
FINGERPRINT_SHIFT = np.uint64(4 * CODE_BITS)
FINGERPRINT_MASK = np.uint64(2**24 - 1)
# The columns of `NgramModel.values`, in the order of the codes in a slot.
PROBABILITY, BACKOFF, PENALTY, MAXIMUM = range(4)

SLOTS_IN = types.Array(types.uint64, 1, "C", readonly=True)
TOKENS_IN = types.Array(types.uint64, 1, "C", readonly=True)
BUCKETS_IN = types.Array(types.int64, 2, "C", readonly=True)

# Odd multipliers, one a place in the n-gram, and the finaliser. Fixed for ever: they are in model files.
PLACES = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)
FINAL = 0xD6E8FEB86659FD93


@dataclass(frozen=True)
class NgramModel:
    """A trained model, ready to be searched; the arrays may be memory-mapped and are never written.

    `buckets[n - 1]` are the first bucket of order n and their number; `values[n - 1]` has a row for each
    field of a slot; `unknown` is log2 of the probability left for all unknown words together.
    """

    identity: str
    unknown: float
    buckets: NDArray[np.int64]
    values: NDArray[np.float32]
    slots: NDArray[np.uint64]


@kernel_part
def final_key(total: Any) -> Any:
    """Return the key of an n-gram from the sum of its words, each times the multiplier of its place."""
    key = (total ^ (total >> np.uint64(32))) * np.uint64(FINAL)
    return key ^ (key >> np.uint64(29))


@kernel_part
def word_term(tokens: Any, position: int, place: int) -> Any:
    """Return what a token adds to the sum that makes the key of an n-gram."""
    return (load_item(tokens, position) | np.uint64(1)) * np.uint64(place)


@kernel_part
def ngram_key(tokens: Any, position: int, order: int) -> Any:
    """Return the key of the n-gram of an order that ends at a token."""
    total = np.uint64(order) + word_term(tokens, position, PLACES[0])
    if order > 1:
        total += word_term(tokens, position - 1, PLACES[1])
    if order > 2:
        total += word_term(tokens, position - 2, PLACES[2])
    if order > 3:
        total += word_term(tokens, position - 3, PLACES[3])
    return final_key(total)


@kernel_part
def pair_key(first: Any, second: Any) -> Any:
    """Return the key of two tokens, their low bits set, as if the second followed the first."""
    return final_key(np.uint64(2) + second * np.uint64(PLACES[0]) + first * np.uint64(PLACES[1]))


@kernel_part
def fingerprint_of(key: Any) -> Any:
    """Return the bits of a key that its slot keeps; never 0, because an empty slot is 0."""
    low = key & FINGERPRINT_MASK
    return low if low != np.uint64(0) else np.uint64(1)


@kernel_part
def home_bucket(key: Any, count: int) -> Any:
    """Return the bucket, of `count`, where a key is looked for first."""
    return types.int64(((key >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))


@kernel_part
def find_slot(slots: Any, first: int, count: int, key: Any) -> Any:
    """Return the slot of an n-gram among `count` buckets from `first` on, or 0."""
    fingerprint = fingerprint_of(key)
    bucket = home_bucket(key, count)
    found = np.uint64(0)
    for _ in range(count):
        base = (first + bucket) * BUCKET_SLOTS
        for place in range(BUCKET_SLOTS):
            slot = load_item(slots, base + place)
            found |= slot if (slot >> FINGERPRINT_SHIFT) == fingerprint else np.uint64(0)
        if found != np.uint64(0) or load_item(slots, base + BUCKET_SLOTS - 1) == np.uint64(0):
            break
        bucket += 1
        if bucket == count:
            bucket = 0
    return found


@kernel(types.int64(types.uint64[::1], types.int64, types.int64, SLOTS_IN, SLOTS_IN))
def fill_slots(slots: Any, first: int, count: int, keys: Any, codes: Any) -> int:
    """Put the n-grams of one order into their buckets; return how many had an occupied fingerprint."""
    lost = 0
    for index in range(keys.size):
        key = load_item(keys, index)
        if find_slot(slots, first, count, key) != np.uint64(0):
            lost += 1
            continue
        place = (first + home_bucket(key, count)) * BUCKET_SLOTS
        while load_item(slots, place) != np.uint64(0):
            place += 1
            if place == (first + count) * BUCKET_SLOTS:
                place = first * BUCKET_SLOTS
        store_item(slots, place, (fingerprint_of(key) << FINGERPRINT_SHIFT) | load_item(codes, index))
    return lost
