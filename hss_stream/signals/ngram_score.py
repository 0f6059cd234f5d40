"""What a language model says of a text, as sums over its tokens.

Every figure is a sum or a count, so the figures of several pages are added to judge a host or a cluster.
Beside Katz perplexity and the PKL penalty (Lavergne, Urvoy and Yvon 2008) there are *gains*: how many bits
better one more word of history predicts a word. A text out of a chain of order n gains nothing at order
n + 1, whatever its genre. Gains are taken among words only: what stands around punctuation is the mark of a
genre (quotations, lists, signatures), and was the main cause of false alarms.

Two phases a block of tokens: look all n-grams up (the reads overlap in the memory system), then add up.
"""

from enum import IntEnum
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from hss_stream.signals.kernel import kernel, kernel_part, load_item, store_item
from hss_stream.signals.ngram_table import (
    BACKOFF,
    BUCKETS_IN,
    CODE_BITS,
    CODES,
    MAXIMUM,
    ORDERS,
    PENALTY,
    PROBABILITY,
    SLOTS_IN,
    TOKENS_IN,
    NgramModel,
    find_slot,
    ngram_key,
)
from hss_stream.signals.text_repeats import (
    COUNTS,
    KNOWN,
    PAIR,
    RARE,
    SYMBOL,
    SYMBOL_BITS,
    SYMBOL_TOKENS,
    count_repeats,
)


class Sum(IntEnum):
    """The sums kept of a text, in their order; logarithms are to base 2."""

    TOKENS = 0
    WORDS_KNOWN = 1
    LOG_1 = 2
    LOG_2 = 3
    LOG_3 = 4
    LOG_4 = 5
    # Tokens whose history of 2 or 3 tokens is known (seen often enough), and their penalties.
    KNOWN_3 = 6
    KNOWN_4 = 7
    PENALTY_3 = 8
    PENALTY_4 = 9
    # Of the tokens with a known history, those that are words after one word (2) or two words (3 and 4); how
    # many are at least a bit less likely after it than alone; how many bits one more word of history gains.
    PLAIN_2 = 10
    PLAIN_3 = 11
    PLAIN_4 = 12
    MISFITS = 13
    GAIN_3 = 14
    GAIN_4 = 15
    # Tokens seen before after the token before.
    PAIRS_KNOWN = 16
    # What the text repeats (`text_repeats.py`).
    RARE = 17
    REPEATED = 18
    NEAR = 19
    SAME = 20
    STRAY_REPEATS = 21
    WEDGES = 22
    SYMBOLS = 23


SUMS = len(Sum)
BLOCK = 512
# Token positions of the scratch array: three of the block before, then the block.
SCRATCH = ORDERS * (BLOCK + ORDERS - 1)
# A token is rare below 2**-12: about what the 1,500 commonest English words are above.
RARE_LOG = -12.0
MISFIT_GAIN = -1.0
# Words in a row, itself included, that make a token plain; a fourth would leave too few to count.
PLAIN_WORDS = 3

VALUES_IN = types.Array(types.float32, 3, "C", readonly=True)

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
        types.float64[::1],
        types.uint8[::1],
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
    sums: Any,
    flags: Any,
    surprises: Any,
) -> None:
    """Add the sums of a text; write each token's surprise, log2 p(w) - log2 p(w | h), where room is given.

    `found` has SCRATCH places, all 0; `flags` gets what `text_repeats.py` needs of each token.
    """
    width = BLOCK + ORDERS - 1
    words = 0
    for start in range(0, tokens.size, BLOCK):
        end = min(start + BLOCK, tokens.size)
        if start:
            for row in range(ORDERS):
                for place in range(ORDERS - 1):
                    found[row * width + place] = found[row * width + BLOCK + place]
        look_up(tokens, start, end, buckets, slots, found)
        for position in range(start, end):
            here = position - start + ORDERS - 1
            token = load_item(tokens, position) | np.uint64(1)
            flag = np.uint8(0)
            words += 1
            if load_item(symbols, types.int64(token >> np.uint64(64 - SYMBOL_BITS))) == token:
                flag = np.uint8(SYMBOL)
                words = 0
            word = load_item(found, here)
            single = unknown
            if word != np.uint64(0):
                single = types.float64(_value(values, 1, PROBABILITY, word))
                sums[Sum.WORDS_KNOWN] += 1
                flag |= np.uint8(KNOWN)
            if single < RARE_LOG or word == np.uint64(0):
                flag |= np.uint8(RARE)
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
                    plain = words >= min(order, PLAIN_WORDS)
                    sums[Sum.PLAIN_2 + order - 2] += plain
                    if order > 2:
                        sums[Sum.KNOWN_3 + order - 3] += 1
                        sums[Sum.PENALTY_3 + order - 3] += penalty
                        sums[Sum.GAIN_3 + order - 3] += longer - chance if plain else 0.0
                    else:
                        sums[Sum.MISFITS] += plain and longer - chance < MISFIT_GAIN
                chance = longer
                sums[Sum.LOG_1 + order - 1] += chance
            if position < surprises.size:
                surprises[position] = single - chance
            if load_item(found, width + here) != np.uint64(0):
                sums[Sum.PAIRS_KNOWN] += 1
                flag |= np.uint8(PAIR)
            store_item(flags, position, flag)
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
    """Return the sums of a text; with `orders` below 4 the perplexities of these orders alone.

    Where `surprises` is given, each token's log2 p(w) - log2 p(w | h) is written to it.
    """
    sums = new_sums()
    flags = np.empty(tokens.size, np.uint8)
    score_tokens(
        tokens,
        orders,
        model.unknown,
        model.buckets,
        model.values,
        model.slots,
        SYMBOL_TOKENS,
        np.zeros(SCRATCH, np.uint64),
        sums,
        flags,
        _NOWHERE if surprises is None else surprises,
    )
    if orders == ORDERS:
        count_repeats(model, tokens, flags, sums[Sum.RARE : Sum.RARE + COUNTS])
    return sums
