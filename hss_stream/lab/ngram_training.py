"""From counts of n-grams to a searchable model: Katz back-off, PKL penalties, codes, buckets.

Katz (1987): p(w | h) is a discounted relative frequency where (h, w) was kept, else the probability after the
history without its first word, times a weight that makes all sum to 1. Kept n-grams are closed: whatever
documents or counts keep an n-gram keep both shorter ones inside it, so the shorter ones are always found.

PKL(h, w) = p(w | h) log2(p(w | h) / p(w | h')), h' being h without its first word, and
S(h, w) = max over v of PKL(h, v) - PKL(h, w). The paper says neither which probabilities nor which
histories: `counts` takes relative frequencies, to the letter; `katz` takes Katz probabilities.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import xxhash
from numpy.typing import NDArray

from hss_stream.lab.ngram_counting import DISCOUNTED, Corpus, NgramCounts, count_ngrams
from hss_stream.signals.ngram_table import (
    BUCKET_SLOTS,
    CODE_BITS,
    CODES,
    FINAL,
    ORDERS,
    PLACES,
    NgramModel,
    fill_slots,
)

Reading = Literal["katz", "counts"]
Floats = NDArray[np.float64]

# How full buckets are. At 0.82 two look-ups in three of an absent n-gram read one cache line.
FILL = 0.82
# Nothing is certain: a history whose kept words would take all the mass leaves one count for the others.
_FULL = 1.0 - 1e-6


@dataclass(frozen=True)
class TrainingOptions:
    """What to keep, and how to read the paper.

    `min_history` is how often a history must have been seen to be a known one. Slots take at most
    `max_bytes`; counting takes about `memory_bytes`.
    """

    min_documents: int = 2
    reading: Reading = "katz"
    min_history: int = 5
    max_bytes: int = 24 << 20
    memory_bytes: int = 1 << 30


@dataclass
class OrderModel:
    """One order of a model before it is coded; `backoff` and `maximum` are filled by the order above."""

    ngrams: NgramCounts
    log: Floats
    penalty: Floats
    backoff: Floats
    maximum: Floats
    # Index, in the order below, of the n-gram's history and of the n-gram without its first word.
    history: NDArray[np.int64]
    shorter: NDArray[np.int64]


def good_turing(counts_of_counts: NDArray[np.int64]) -> Floats:
    """Return the discount of each count up to DISCOUNTED + 1, which and above stay as they are.

    Where the counts of counts are too few for Good-Turing to lie between 0 and 1, half a count is taken off.
    """
    many = counts_of_counts.astype(np.float64)
    discounts = np.ones(DISCOUNTED + 2)
    common = (DISCOUNTED + 1) * many[DISCOUNTED + 1] / many[1] if many[1] else 1.0
    for count in range(1, DISCOUNTED + 1):
        discounts[count] = (count - 0.5) / count
        if many[count] and common < 1.0:
            estimate = ((count + 1) * many[count + 1] / (count * many[count]) - common) / (1.0 - common)
            if 0.0 < estimate < 1.0:
                discounts[count] = estimate
    return discounts


def _keys_at(tokens: NDArray[np.uint64], positions: NDArray[np.int64], order: int) -> NDArray[np.uint64]:
    """Return the key of the n-gram that ends at each position, as `ngram_keys` would."""
    total = np.full(positions.size, order, np.uint64)
    for place in range(order):
        total += tokens[positions - place] * np.uint64(PLACES[place])
    total = (total ^ (total >> np.uint64(32))) * np.uint64(FINAL)
    return total ^ (total >> np.uint64(29))


def _unigrams(ngrams: NgramCounts, tokens: int) -> tuple[OrderModel, float]:
    """Return order 1, and the probability of all unknown words together."""
    discounts = good_turing(ngrams.counts_of_counts)
    chance = discounts[np.minimum(ngrams.counts, DISCOUNTED + 1)] * ngrams.counts / max(tokens, 1)
    if chance.sum() > _FULL:
        chance *= tokens / (tokens + 1)
    empty = np.zeros(chance.size)
    none = np.zeros(0, np.int64)
    unknown = 1.0 - float(chance.sum())
    return OrderModel(ngrams, np.log2(chance), empty, empty.copy(), empty.copy(), none, none), unknown


def _next_order(ngrams: NgramCounts, below: OrderModel, tokens: NDArray[np.uint64]) -> OrderModel:
    """Return the Katz probabilities of an order, and set the back-off weights of the one below."""
    order = ngrams.order
    history = np.searchsorted(below.ngrams.keys, _keys_at(tokens, ngrams.positions - 1, order - 1))
    shorter = np.searchsorted(below.ngrams.keys, _keys_at(tokens, ngrams.positions, order - 1))
    discounts = good_turing(ngrams.counts_of_counts)
    histories = below.ngrams.counts
    chance = discounts[np.minimum(ngrams.counts, DISCOUNTED + 1)] * ngrams.counts / histories[history]
    taken = np.bincount(history, chance, histories.size)
    scale = np.where(taken > _FULL, histories / (histories + 1.0), 1.0)
    chance *= scale[history]
    taken = np.bincount(history, chance, histories.size)
    lower = np.bincount(history, np.exp2(below.log[shorter]), histories.size)
    used = np.bincount(history, minlength=histories.size) > 0
    below.backoff[used] = np.log2((1.0 - taken[used]) / (1.0 - lower[used]))
    empty = np.zeros(chance.size)
    return OrderModel(ngrams, np.log2(chance), empty, empty.copy(), empty.copy(), history, shorter)


def _add_penalties(
    here: OrderModel, below: OrderModel, lowest: OrderModel | None, tokens: int, options: TrainingOptions
) -> None:
    """Set the penalties of an order and the maxima of its histories; a history not known stays at NaN."""
    log, log_shorter = here.log, below.log[here.shorter]
    if options.reading == "counts":
        log = np.log2(here.ngrams.counts / below.ngrams.counts[here.history])
        seen = below.ngrams.counts[here.shorter]
        whole = tokens if lowest is None else lowest.ngrams.counts[below.history[here.shorter]]
        log_shorter = np.log2(seen / whole)
    divergence = np.exp2(log) * (log - log_shorter)
    maximum = np.full(below.log.size, -np.inf)
    np.maximum.at(maximum, here.history, divergence)
    below.maximum = np.where(
        np.isfinite(maximum) & (below.ngrams.counts >= options.min_history), maximum, np.nan
    )
    here.penalty = maximum[here.history] - divergence


def model_bytes(sizes: Sequence[int]) -> int:
    """Return the bytes of slots for so many n-grams of each order."""
    return sum(max(1, math.ceil(size / (FILL * BUCKET_SLOTS))) for size in sizes) * BUCKET_SLOTS * 8


def fit_counts(counts: Sequence[NgramCounts], max_bytes: int) -> list[NgramCounts]:
    """Return the n-grams counted often enough for the model to fit; longer ones give way first.

    The least count never falls from one order to the next, so that no n-gram outlives its parts.
    """
    least = [1] * len(counts)
    raised = len(counts) - 1
    while True:
        kept = [ngrams.at_least(count) for ngrams, count in zip(counts, least, strict=True)]
        if model_bytes([ngrams.keys.size for ngrams in kept]) <= max_bytes:
            return kept
        least[raised] += 1
        raised = raised - 1 if raised > 1 else len(counts) - 1


def train_orders(
    corpus: Corpus,
    options: TrainingOptions,
    on_part: Callable[[int, int, int], None] = lambda _order, _part, _parts: None,
) -> tuple[list[OrderModel], float]:
    """Return the orders 1 to 4 of a corpus, and log2 of the probability left for unknown words."""
    tokens = corpus.tokens
    counts = fit_counts(
        [
            count_ngrams(
                corpus,
                order,
                min_documents=options.min_documents,
                memory_bytes=options.memory_bytes,
                on_part=partial(on_part, order),
            )
            for order in range(1, ORDERS + 1)
        ],
        options.max_bytes,
    )
    first, unknown = _unigrams(counts[0], corpus.size)
    orders = [first]
    for ngrams in counts[1:]:
        orders.append(_next_order(ngrams, orders[-1], tokens))
        lowest = orders[-3] if len(orders) > 2 else None
        _add_penalties(orders[-1], orders[-2], lowest, max(corpus.size, 1), options)
    orders[-1].maximum = np.full(orders[-1].log.size, np.nan)
    return orders, float(np.log2(unknown))


def encode(values: Floats, power: float) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
    """Return a code for each value and the table that the codes name; code 0 is kept for NaN, value 0.

    Up to 1,023 different values are kept as they are; more are rounded to steps that widen with `power`.
    """
    table = np.zeros(CODES, np.float32)
    known = np.isfinite(values)
    distinct = np.unique(values[known].astype(np.float32))
    if distinct.size >= CODES:
        steps = np.linspace(0.0, 1.0, CODES - 1) ** power
        distinct = (distinct[0] + (distinct[-1] - distinct[0]) * steps).astype(np.float32)
    table[1 : 1 + distinct.size] = distinct
    codes = np.zeros(values.size, np.uint64)
    middles = (distinct[1:].astype(np.float64) + distinct[:-1]) / 2
    codes[known] = 1 + np.searchsorted(middles, values[known]).astype(np.uint64)
    return codes, table


def build_model(orders: Sequence[OrderModel], unknown: float, name: str = "custom") -> NgramModel:
    """Return the model in its searchable form."""
    numbers = [model_bytes([order.log.size]) // (8 * BUCKET_SLOTS) for order in orders]
    buckets = np.array([(sum(numbers[:index]), number) for index, number in enumerate(numbers)], np.int64)
    values = np.zeros((ORDERS, 4, CODES), np.float32)
    slots = np.zeros(sum(numbers) * BUCKET_SLOTS, np.uint64)
    for index, order in enumerate(orders):
        codes = np.zeros(order.log.size, np.uint64)
        used = np.isfinite(order.maximum) | (order.backoff != 0.0)
        fields = (order.log, np.where(used, order.backoff, np.nan), order.penalty, order.maximum)
        for field, (column, power) in enumerate(zip(fields, (1.0, 1.0, 2.0, 2.0), strict=True)):
            part, values[index, field] = encode(column, power)
            codes |= part << np.uint64(CODE_BITS * field)
        fill_slots(slots, buckets[index, 0], buckets[index, 1], order.ngrams.keys, codes)
    identity = f"{name}-{xxhash.xxh3_64_hexdigest(slots.tobytes() + values.tobytes())[:8]}"
    return NgramModel(identity, unknown, buckets, values, slots)
