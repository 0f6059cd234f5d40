"""What a text repeats, and how: the part of fake text that hardly depends on the genre.

A natural text is about something. Its rare words come again soon, and they come again in the same company
("the *Nile* delta … of the *Nile*"). Chains and patchworks are about nothing: what is rare in them does not
return. Stuffed words return again and again, each time between other neighbours, fitting none of them.

Every figure is a count over the tokens of a text, so the figures of several pages are added.
"""

import string
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from hss_stream.signals.kernel import kernel, load_item, store_item
from hss_stream.signals.ngram_table import BUCKETS_IN, SLOTS_IN, TOKENS_IN, NgramModel, find_slot, pair_key
from hss_stream.signals.words import word_hash

# What is known of each token (`flags`): rare or unknown, known, seen before after its neighbour, punctuation.
RARE, KNOWN, PAIR, SYMBOL = 1, 2, 4, 8
# The counts, in their order: rare tokens; of them, those seen before within 500 tokens, within 100 tokens,
# and (within 500) with the same neighbour on one side; strays, which are known words never seen with either
# neighbour, that come again between others; of these, wedges, whose neighbours fit each other; and marks of
# punctuation, a row of equal ones counted once.
RARES, REPEATED, NEAR, SAME, STRAY_REPEATS, WEDGES, SYMBOLS = range(7)
COUNTS = 7

REPEAT_WINDOW = 500
NEAR_WINDOW = 100
# Places for rare tokens seen lately; a power of two well above the window, so few fall on one another.
SEEN_BITS = 12
# Enough top bits to tell the 32 punctuation tokens apart.
SYMBOL_BITS = 10

_FLAGS_IN = types.Array(types.uint8, 1, "C", readonly=True)


def _symbol_table() -> NDArray[np.uint64]:
    """Return the punctuation tokens, each at the place that its top bits name."""
    table = np.zeros(1 << SYMBOL_BITS, np.uint64)
    for symbol in string.punctuation:
        token = word_hash(symbol) | 1
        table[token >> (64 - SYMBOL_BITS)] = token
    return table


SYMBOL_TOKENS = _symbol_table()


@kernel(
    types.void(TOKENS_IN, _FLAGS_IN, BUCKETS_IN, SLOTS_IN, types.uint64[::1], types.float64[::1]),
    allocates=False,
)
def _add_repeats(tokens: Any, flags: Any, buckets: Any, slots: Any, seen: Any, counts: Any) -> None:
    """Add the counts of a text; `seen` has 2 ** SEEN_BITS places, all 0."""
    size = tokens.size
    low = np.uint64(1)
    last = np.uint64(0)
    for position in range(size):
        token = load_item(tokens, position) | low
        flag = load_item(flags, position)
        before_it = last
        last = token
        if flag & SYMBOL:
            counts[SYMBOLS] += token != before_it
        if not flag & RARE:
            continue
        counts[RARES] += 1
        place = types.int64(token >> np.uint64(64 - SEEN_BITS))
        stamp = (token << np.uint64(32)) | np.uint64(position + 1)
        found = load_item(seen, place)
        store_item(seen, place, stamp)
        if found >> np.uint64(32) != stamp >> np.uint64(32):
            continue
        earlier = types.int64(found & np.uint64(2**32 - 1)) - 1
        if position - earlier >= REPEAT_WINDOW:
            continue
        counts[REPEATED] += 1
        counts[NEAR] += position - earlier < NEAR_WINDOW
        if earlier > 0 and load_item(tokens, earlier - 1) | low == before_it:
            counts[SAME] += 1
        elif position + 1 < size:
            after_it = load_item(tokens, position + 1) | low
            if load_item(tokens, earlier + 1) | low == after_it:
                counts[SAME] += 1
            elif flag & KNOWN and not (flag | load_item(flags, position + 1)) & PAIR:
                counts[STRAY_REPEATS] += 1
                key = pair_key(before_it, after_it)
                counts[WEDGES] += find_slot(slots, buckets[1, 0], buckets[1, 1], key) != np.uint64(0)


def count_repeats(
    model: NgramModel, tokens: NDArray[np.uint64], flags: NDArray[np.uint8], counts: NDArray[np.float64]
) -> None:
    """Add what a text repeats to `counts`."""
    _add_repeats(tokens, flags, model.buckets, model.slots, np.zeros(1 << SEEN_BITS, np.uint64), counts)
