"""What a language model says of a text, as sums over its tokens.

Every figure is a sum or a count, so the figures of several pages are added to judge a host or a cluster.
Beside Katz perplexity and the PKL penalty (Lavergne, Urvoy and Yvon 2008) there are *gains*: how many bits
better one more word of history predicts a token. A text out of a chain of order n gains nothing at order
n + 1, whatever its genre; a stuffed word gains less than nothing on both of its sides.

Two phases a block of tokens: look all n-grams up (the reads overlap in the memory system), then add up.
"""

import string
from enum import IntEnum
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from hss_stream.signals.kernel import kernel, kernel_part, load_item, store_item
from hss_stream.signals.ngram_table import (
    BACKOFF,
    CODE_BITS,
    CODES,
    MAXIMUM,
    ORDERS,
    PENALTY,
    PLACES,
    PROBABILITY,
    SLOTS_IN,
    TOKENS_IN,
    NgramModel,
    final_key,
    find_slot,
    ngram_key,
    word_term,
)
from hss_stream.signals.words import word_hash


class Sum(IntEnum):
    """The sums kept of a text, in their order; logarithms are to base 2."""

    TOKENS = 0
    WORDS_KNOWN = 1
    LOG_1 = 2
    LOG_2 = 3
    LOG_3 = 4
    LOG_4 = 5
    # Tokens whose history of 1, 2 or 3 tokens is known, and the gain of that history over the shorter one.
    KNOWN_2 = 6
    KNOWN_3 = 7
    KNOWN_4 = 8
    GAIN_2 = 9
    GAIN_3 = 10
    GAIN_4 = 11
    PENALTY_3 = 12
    PENALTY_4 = 13
    # Tokens at least a bit less likely after their neighbour than alone.
    MISFITS = 14
    # Tokens never seen with either neighbour; of them, those between neighbours that fit.
    LONE = 15
    WEDGES = 16
    # Rare or unknown tokens, and those that occurred before in the last 500 tokens: what a text is about.
    RARE = 17
    REPEATED = 18
    # Punctuation: half of a program's tokens, a tenth to a quarter of prose.
    SYMBOLS = 19
    # Tokens seen before after the token before.
    PAIRS_KNOWN = 20


SUMS = len(Sum)
BLOCK = 512
# Token positions of the scratch array: three of the block before, then the block.
SCRATCH = ORDERS * (BLOCK + ORDERS - 1)
# A token is rare below 2**-12: about what the 1,500 commonest English words are above.
RARE_LOG = -12.0
MISFIT_GAIN = -1.0
WEDGE_GAIN = 1.0
REPEAT_WINDOW = 500
# Places for rare tokens seen lately; a power of two well above the window, so few fall on one another.
SEEN_BITS = 12

# Enough top bits to tell the 32 punctuation tokens apart.
SYMBOL_BITS = 10

VALUES_IN = types.Array(types.float32, 3, "C", readonly=True)
BUCKETS_IN = types.Array(types.int64, 2, "C", readonly=True)


def _symbol_table() -> NDArray[np.uint64]:
    """Return the punctuation tokens, each at the place that its top bits name."""
    table = np.zeros(1 << SYMBOL_BITS, np.uint64)
    for symbol in string.punctuation:
        token = word_hash(symbol) | 1
        table[token >> (64 - SYMBOL_BITS)] = token
    return table


_SYMBOLS = _symbol_table()
_NOWHERE = np.zeros(0, np.float32)


@kernel_part
def _value(values: Any, order: int, field: int, slot: Any) -> Any:
    """Return the value that a slot's code names."""
    code = (slot >> np.uint64(CODE_BITS * field)) & np.uint64(CODES - 1)
    return values[order - 1, field, types.int64(code)]


@kernel(
    types.void(TOKENS_IN, types.int64, types.int64, BUCKETS_IN, SLOTS_IN, types.uint64[::1]), allocates=False
)
def look_up(tokens: Any, start: int, end: int, buckets: Any, slots: Any, found: Any) -> None:
    """Find the n-grams that end at tokens start to end; `found` keeps the last three of the call before.

    An n-gram is in a model only if both n-grams one shorter within it are, so it is sought only then.
    """
    width = BLOCK + ORDERS - 1
    shift = ORDERS - 1 - start
    for position in range(start, end):
        key = ngram_key(tokens, position, 1)
        store_item(found, position + shift, find_slot(slots, buckets[0, 0], buckets[0, 1], key))
    for order in range(2, ORDERS + 1):
        shorter = (order - 2) * width + shift
        first, count = buckets[order - 1, 0], buckets[order - 1, 1]
        for position in range(start, end):
            slot = np.uint64(0)
            here = load_item(found, shorter + position) != np.uint64(0)
            if here and load_item(found, shorter + position - 1) != np.uint64(0):
                slot = find_slot(slots, first, count, ngram_key(tokens, position, order))
            store_item(found, shorter + width + position, slot)


@kernel(
    types.void(
        TOKENS_IN,
        types.int64,
        types.float64,
        BUCKETS_IN,
        VALUES_IN,
        SLOTS_IN,
        TOKENS_IN,
        types.uint64[::1],
        types.uint64[::1],
        types.float64[::1],
        types.float32[::1],
    ),
    allocates=False,
)
def score_tokens(  # noqa: C901, PLR0912, PLR0915 - one loop over tokens; calls would cost its speed
    tokens: Any,
    orders: int,
    unknown: float,
    buckets: Any,
    values: Any,
    slots: Any,
    symbols: Any,
    found: Any,
    seen: Any,
    sums: Any,
    surprises: Any,
) -> None:
    """Add the sums of a text; write each token's surprise, log2 p(w) - log2 p(w | h), where room is given.

    `orders` is 4; `found` has SCRATCH places and `seen` 2 ** SEEN_BITS, both cleared here.
    """
    width = BLOCK + ORDERS - 1
    for index in range(found.size):
        found[index] = np.uint64(0)
    for index in range(seen.size):
        seen[index] = np.uint64(0)
    last_missed = False
    for start in range(0, tokens.size, BLOCK):
        end = min(start + BLOCK, tokens.size)
        if start:
            for row in range(ORDERS):
                for place in range(ORDERS - 1):
                    found[row * width + place] = found[row * width + BLOCK + place]
        look_up(tokens, start, end, buckets, slots, found)
        for position in range(start, end):
            here = position - start + ORDERS - 1
            word = load_item(found, here)
            single = unknown
            if word != np.uint64(0):
                single = types.float64(_value(values, 1, PROBABILITY, word))
                sums[Sum.WORDS_KNOWN] += 1
            sums[Sum.LOG_1] += single
            chance = single
            for order in range(2, orders + 1):
                slot = load_item(found, (order - 1) * width + here)
                history = load_item(found, (order - 2) * width + here - 1)
                longer = chance
                penalty = 0.0
                if slot != np.uint64(0):
                    longer = types.float64(_value(values, order, PROBABILITY, slot))
                    penalty = _value(values, order, PENALTY, slot)
                elif history != np.uint64(0):
                    longer = chance + _value(values, order - 1, BACKOFF, history)
                    penalty = _value(values, order - 1, MAXIMUM, history)
                if history >> np.uint64(CODE_BITS * MAXIMUM) & np.uint64(CODES - 1) != np.uint64(0):
                    sums[Sum.KNOWN_2 + order - 2] += 1
                    sums[Sum.GAIN_2 + order - 2] += longer - chance
                    if order > 2:
                        sums[Sum.PENALTY_3 + order - 3] += penalty
                    elif longer - chance < MISFIT_GAIN:
                        sums[Sum.MISFITS] += 1
                chance = longer
                sums[Sum.LOG_1 + order - 1] += chance
            if position < surprises.size:
                surprises[position] = single - chance
            missed = load_item(found, width + here) == np.uint64(0)
            sums[Sum.PAIRS_KNOWN] += not missed
            if position > 1 and missed and last_missed:
                sums[Sum.LONE] += 1
                total = np.uint64(2) + word_term(tokens, position, PLACES[0])
                total += word_term(tokens, position - 2, PLACES[1])
                slot = find_slot(slots, buckets[1, 0], buckets[1, 1], final_key(total))
                if slot != np.uint64(0):
                    sums[Sum.WEDGES] += _value(values, 2, PROBABILITY, slot) - single > WEDGE_GAIN
            last_missed = missed
            token = load_item(tokens, position) | np.uint64(1)
            sums[Sum.SYMBOLS] += (
                load_item(symbols, types.int64(token >> np.uint64(64 - SYMBOL_BITS))) == token
            )
            if single < RARE_LOG or word == np.uint64(0):
                sums[Sum.RARE] += 1
                place = types.int64(token >> np.uint64(64 - SEEN_BITS))
                stamp = (token << np.uint64(32)) | np.uint64(position + 1)
                before = load_item(seen, place)
                if before >> np.uint64(32) == stamp >> np.uint64(32):
                    near = position + 1 - types.int64(before & np.uint64(2**32 - 1)) < REPEAT_WINDOW
                    sums[Sum.REPEATED] += near
                store_item(seen, place, stamp)
    sums[Sum.TOKENS] += tokens.size


def new_sums() -> NDArray[np.float64]:
    """Return the sums of an empty text."""
    return np.zeros(SUMS)


def sum_text(
    model: NgramModel,
    tokens: NDArray[np.uint64],
    *,
    orders: int = ORDERS,
    surprises: NDArray[np.float32] | None = None,
) -> NDArray[np.float64]:
    """Return the sums of a text; sums of orders above `orders` stay 0.

    Where `surprises` is given, each token's log2 p(w) - log2 p(w | h) is written to it.
    """
    sums = new_sums()
    score_tokens(
        tokens,
        orders,
        model.unknown,
        model.buckets,
        model.values,
        model.slots,
        _SYMBOLS,
        np.zeros(SCRATCH, np.uint64),
        np.zeros(1 << SEEN_BITS, np.uint64),
        sums,
        _NOWHERE if surprises is None else surprises,
    )
    return sums
