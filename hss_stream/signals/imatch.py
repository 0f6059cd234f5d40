"""I-Match: signatures that stay equal when words of a text are moved, added, dropped or replaced.

The signature of a text is a hash of the *set* of its words that a lexicon has. With ten copies of the
lexicon that lack other words each, a text has eleven signatures, and two texts are near duplicates when
any coordinate agrees (Kolcz, Chowdhury, Alspector, "Improved robustness of signature-based near-replica
detection via lexicon randomization", 2004). After n changes of lexicon words at least one of K copies is
untouched with the chance 1 - (1 - p**n)**K, where p is the share of terms a copy lacks.

One pass over the words gives all coordinates: sums of mixed terms, so order and repetition do not matter.
A coordinate with too few terms is null (0), and null never matches. The lexicon's id is part of every
signature: texts read with two lexicons never match, and both can be computed from the same words.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types, uint64
from numpy.typing import NDArray

from hss_stream.signals.kernel import kernel, kernel_part, load_item, store_item
from hss_stream.signals.lexicon import (
    COPIES,
    TERM_SHIFT,
    TOP_LEVEL,
    WORDS_IN,
    Lexicon,
    copy_mask,
    mix,
    table_shift,
)

COORDINATES = COPIES + 1
NULL = 0

# Fields of the array of numbers that a setting is to the kernel.
_LOW, _HIGH, _MIN_TERMS, _FEW_TERMS, _FEW_LEVELS, _OPEN, _KEEP, _SHIFT, _ID = range(9)
_NUMBERS = 9
# Rows of the sums.
_MIXED, _TERMS, _LEVELS = range(3)
_LAST_EPOCH = 255
# A secondary term is sorted as one number: its level above its 48 bits.
_LEVEL_SHIFT = 48
_TERM_MASK = (1 << _LEVEL_SHIFT) - 1
_GOLDEN = 0x9E3779B97F4A7C15
# A signer keeps its scratch between texts, but not one of a giant text.
_KEPT_TOKENS = 1 << 18


@dataclass(frozen=True)
class Signatures:
    """The extended signature of a text under one lexicon."""

    lexicon: int
    terms: int  # distinct terms in the first coordinate
    values: tuple[int, ...]  # eleven; 0 is null

    @property
    def computed(self) -> int:
        """How many coordinates are not null."""
        return sum(value != NULL for value in self.values)

    def to_hex(self) -> list[str | None]:
        """Return the coordinates as they stand in results."""
        return [f"{value:016x}" if value else None for value in self.values]


def matching_signatures(one: Signatures, two: Signatures) -> int:
    """Return how many coordinates agree; none under different lexicons, null agrees with nothing."""
    if one.lexicon != two.lexicon:
        return 0
    return sum(first == second != NULL for first, second in zip(one.values, two.values, strict=True))


@kernel_part
def _is_enough(sums: Any, coordinate: int, numbers: Any) -> bool:
    """Tell whether a coordinate has terms enough: many, or a few rare ones."""
    terms = sums[_TERMS, coordinate]
    is_rare = sums[_LEVELS, coordinate] >= numbers[_FEW_LEVELS]
    return bool(terms >= numbers[_MIN_TERMS] or (terms >= numbers[_FEW_TERMS] and is_rare))


@kernel_part
def _add_term(sums: Any, coordinate: int, present: Any, mixed: Any, level: Any) -> None:
    """Add a term to a coordinate if present is 1; nothing if it is 0."""
    chosen = np.uint64(0) - present
    sums[_MIXED, coordinate] += mixed & chosen
    sums[_TERMS, coordinate] += present
    sums[_LEVELS, coordinate] += level & chosen


@kernel_part
def _sink(heap: Any, parent: int, size: int) -> None:
    """Let a key sink to its place in a heap whose least key comes first."""
    key = load_item(heap, parent)
    child = 2 * parent + 1
    while child < size:
        if child + 1 < size and load_item(heap, child + 1) < load_item(heap, child):
            child += 1
        if key <= load_item(heap, child):
            break
        store_item(heap, parent, load_item(heap, child))
        parent = child
        child = 2 * parent + 1
    store_item(heap, parent, key)


@kernel_part
def _add_secondary(keys: Any, size: int, numbers: Any, salts: Any, sums: Any) -> None:
    """Fill up the coordinates that have too few terms, the most common secondary term first.

    Hardly ever are all of them needed, so they are taken from a heap instead of sorted.
    """
    one = np.uint64(1)
    for parent in range(size // 2 - 1, -1, -1):
        _sink(keys, parent, size)
    previous = np.uint64(0)
    missing = 1
    while size > 0 and missing > 0:
        key = load_item(keys, 0)
        size -= 1
        store_item(keys, 0, load_item(keys, size))
        _sink(keys, 0, size)
        if key == previous:
            continue
        previous = key
        term = key & np.uint64(_TERM_MASK)
        copies = copy_mask(term, salts, numbers[_KEEP]) << one | one
        mixed = mix(term)
        missing = 0
        for coordinate in range(COORDINATES):
            if not _is_enough(sums, coordinate, numbers):
                present = copies >> np.uint64(coordinate) & one
                _add_term(sums, coordinate, present, mixed, key >> np.uint64(_LEVEL_SHIFT))
                missing += not _is_enough(sums, coordinate, numbers)


@kernel_part
def _finish(sums: Any, numbers: Any, out: Any) -> None:
    """Write the signature of each coordinate: a hash of its sum, itself and the lexicon; null is 0."""
    for coordinate in range(COORDINATES):
        out[coordinate] = np.uint64(NULL)
        if _is_enough(sums, coordinate, numbers):
            salt = mix(numbers[_ID] ^ (np.uint64(coordinate) * np.uint64(_GOLDEN)))
            out[coordinate] = max(mix(sums[_MIXED, coordinate] + salt), np.uint64(1))


@kernel(
    types.int64(
        WORDS_IN, WORDS_IN, WORDS_IN, WORDS_IN, types.int64,
        types.uint8[::1], uint64[::1], uint64[:, ::1], uint64[::1],
    ),
    allocates=False,
)  # fmt: skip
def _sign(
    tokens: Any, table: Any, numbers: Any, salts: Any, epoch: int,
    seen: Any, secondary: Any, sums: Any, out: Any,
) -> int:  # fmt: skip
    """Write the signatures of a text and return the number of terms in the first coordinate.

    `sums` has three rows: mixed terms, their number, their levels. `seen` holds this text's epoch only where
    a primary term was met. `secondary` has room for one more than the tokens.
    """
    one, mask_shift, term_shift = np.uint64(1), np.uint64(16), np.uint64(TERM_SHIFT)
    low, high, shift, is_open = numbers[_LOW], numbers[_HIGH], numbers[_SHIFT], types.int64(numbers[_OPEN])
    last = types.int64(seen.size - 1)
    mark = types.uint8(epoch)
    sums[:] = np.uint64(0)
    kept = 0
    for index in range(tokens.size):
        word = load_item(tokens, index)
        if word & one == 0:
            continue
        slot = types.int64(word >> shift)
        key = load_item(table, 2 * slot)
        while key != 0 and key != word:  # noqa: PLR1714 - numba has no such membership
            slot = (slot + 1) & last
            key = load_item(table, 2 * slot)
        term = word >> term_shift
        if key == 0:
            store_item(secondary, kept, term | np.uint64(TOP_LEVEL << _LEVEL_SHIFT))
            kept += is_open
            continue
        entry = load_item(table, 2 * slot + 1)
        level = entry & np.uint64(TOP_LEVEL)
        if level > high:
            store_item(secondary, kept, term | level << np.uint64(_LEVEL_SHIFT))
            kept += 1
        elif level >= low and load_item(seen, slot) != mark:
            store_item(seen, slot, mark)
            mixed = mix(term)
            copies = (entry >> mask_shift) << one | one
            for coordinate in range(COORDINATES):
                _add_term(sums, coordinate, copies >> np.uint64(coordinate) & one, mixed, level)
    for coordinate in range(COORDINATES):
        if not _is_enough(sums, coordinate, numbers):
            _add_secondary(secondary, kept, numbers, salts, sums)
            break
    _finish(sums, numbers, out)
    return int(sums[_TERMS, 0])


class Signer:
    """Makes signatures under one lexicon; holds scratch memory, so one belongs to one thread."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        setting = lexicon.setting
        slots = lexicon.table.size // 2
        self._numbers = np.zeros(_NUMBERS, np.uint64)
        self._numbers[[_LOW, _HIGH]] = setting.levels
        self._numbers[[_MIN_TERMS, _FEW_TERMS]] = setting.min_terms, setting.few_terms
        self._numbers[_FEW_LEVELS] = round(setting.few_weight * TOP_LEVEL)
        self._numbers[[_OPEN, _KEEP]] = setting.open_vocabulary, setting.keep_limit()
        self._numbers[[_SHIFT, _ID]] = table_shift(slots), lexicon.id
        self._salts = setting.salts()
        self._epoch = 0
        self._seen = np.zeros(slots, np.uint8)
        self._secondary = np.empty(0, np.uint64)
        self._sums = np.zeros((3, COORDINATES), np.uint64)
        self._out = np.zeros(COORDINATES, np.uint64)

    def sign(self, tokens: NDArray[np.uint64]) -> Signatures:
        """Return the signatures of a text given as the tokens of its words, in any order."""
        if self._epoch == _LAST_EPOCH:
            self._epoch = 0
            self._seen[:] = 0
        self._epoch += 1
        if self._secondary.size <= tokens.size:
            self._secondary = np.empty(2 * tokens.size + 1, np.uint64)
        terms = _sign(
            tokens, self.lexicon.table, self._numbers, self._salts, self._epoch,
            self._seen, self._secondary, self._sums, self._out,
        )  # fmt: skip
        if self._secondary.size > _KEPT_TOKENS:
            self._secondary = np.empty(0, np.uint64)
        return Signatures(self.lexicon.id, terms, tuple(self._out.tolist()))
