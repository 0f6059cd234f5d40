"""The words that I-Match looks at: how common each is, and which copies of the lexicon have it.

A term is a word hash (`words.py`); its *level* is nidf = log(N / df) / log N over N training documents,
times 65,535. The primary lexicon is a range of levels. Less common terms are the secondary lexicon, used
by rising level where a text has too few of the primary one; with an open vocabulary that goes on with
words no training document had, at the highest level, so that texts of any language have signatures.

Ten copies of the lexicon each lack a random part of the terms (lexicon randomisation, Kolcz et al. 2004).
Whether a copy has a term is a hash of the term and the seed, so it holds for unknown words too; the table
keeps the answers for known ones as a bit mask. The table is open addressing over the upper hash bits, two
uint64 a slot: the word hash with its low bit set (0: empty), and level + 65,536 * mask. It is used as it
lies in the file, so processes that map the same file share its memory.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import xxhash
from numba import types, uint64
from numpy.typing import NDArray

from hss_stream.signals.kernel import kernel, kernel_part

COPIES = 10
TOP_LEVEL = 65_535

WORDS_IN = types.Array(uint64, 1, "C", readonly=True)
# A term is the upper 48 bits of its word hash: with its level above it makes one sortable key.
TERM_SHIFT = 16
_SALTS = 3
_SALTED_COPIES = 4
_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xFF51AFD7ED558CCD
_MIX_2 = 0xC4CEB9FE1A85EC53
# The table is at most so full: unknown words are looked up too, and those searches are the longest.
_MAX_LOAD = 0.6


@dataclass(frozen=True)
class LexiconSetting:
    """How signatures are made; part of the lexicon's id, because other settings give other signatures.

    A coordinate is computed from at least `min_terms` terms, or from `few_terms` whose nidf sums to
    `few_weight`: a few rare words say as much as many common ones.
    """

    low: float  # nidf in [low, high] is the primary lexicon
    high: float
    keep: float  # share of the terms that a copy has
    min_terms: int
    few_terms: int
    few_weight: float
    open_vocabulary: bool
    seed: int = 1

    @property
    def levels(self) -> tuple[int, int]:
        """The first and last level of the primary lexicon."""
        return round(self.low * TOP_LEVEL), round(self.high * TOP_LEVEL)

    def salts(self) -> NDArray[np.uint64]:
        """Return the hashes that decide, with a term, which copies have it."""
        return np.array([_mix_int(self.seed * _GOLDEN + salt + 1) for salt in range(_SALTS)], np.uint64)

    def keep_limit(self) -> int:
        """Return the share of kept terms in 65,536ths."""
        return round(self.keep * 65_536)


# Section 6.7 and 6.8 of the paper; its least number of terms is open, five is that of section 6.3.
PAPER = LexiconSetting(0.2, 0.3, 0.67, 5, 5, 0.0, open_vocabulary=False)
# Chosen on development mail: highest recall without any false match in 20 seeds (docs/decisions/0022).
DEFAULT = LexiconSetting(0.2, 0.25, 0.4, 8, 5, 4.0, open_vocabulary=True)
SETTINGS = {"paper": PAPER, "default": DEFAULT}


def _mix_int(value: int) -> int:
    value = (value ^ (value & _MASK) >> 33) * _MIX_1 & _MASK
    value = (value ^ value >> 33) * _MIX_2 & _MASK
    return value ^ value >> 33


@kernel_part
def mix(value: Any) -> Any:
    """Return a well mixed uint64 of a uint64 (the finaliser of MurmurHash3)."""
    value = (value ^ (value >> np.uint64(33))) * np.uint64(_MIX_1)
    value = (value ^ (value >> np.uint64(33))) * np.uint64(_MIX_2)
    return value ^ (value >> np.uint64(33))


@kernel_part
def copy_mask(term: Any, salts: Any, keep_limit: Any) -> Any:
    """Return the copies that have a term as bits 0 to 9 (copies 1 to 10)."""
    mask = np.uint64(0)
    for salt in range(_SALTS):
        chances = mix(term ^ salts[salt])
        for part in range(_SALTED_COPIES):
            copy = salt * _SALTED_COPIES + part
            if copy < COPIES:
                chance = (chances >> np.uint64(16 * part)) & np.uint64(0xFFFF)
                mask |= np.uint64(chance < keep_limit) << np.uint64(copy)
    return mask


@kernel(types.void(WORDS_IN, WORDS_IN, WORDS_IN, uint64, uint64, uint64[::1]))
def _fill_table(words: Any, levels: Any, salts: Any, keep_limit: Any, shift: Any, table: Any) -> None:
    """Put every word into the table; the words are distinct and the table is large enough."""
    last = table.shape[0] // 2 - 1
    for index in range(words.shape[0]):
        word = words[index] | np.uint64(1)
        slot = types.int64(word >> shift)
        while table[2 * slot] != 0:
            slot = (slot + 1) & last
        table[2 * slot] = word
        mask = copy_mask(word >> np.uint64(TERM_SHIFT), salts, keep_limit)
        table[2 * slot + 1] = levels[index] | mask << np.uint64(16)


@dataclass(frozen=True, eq=False)
class Lexicon:
    """A lexicon ready for use; `table` may be mapped from a file and is never written."""

    id: int  # 8 bytes; names the words, their levels and the setting
    setting: LexiconSetting
    documents: int  # in training
    terms: int
    table: NDArray[np.uint64]

    @property
    def name(self) -> str:
        """The id as it stands in results."""
        return f"{self.id:016x}"

    def words_and_levels(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the word hashes in rising order and their levels."""
        used = self.table[0::2] != 0
        words, levels = self.table[0::2][used], self.table[1::2][used] & np.uint64(TOP_LEVEL)
        order = np.argsort(words)
        return words[order], levels[order]

    def with_setting(self, setting: LexiconSetting) -> Self:
        """Return a lexicon of the same words made for another setting or seed."""
        words, levels = self.words_and_levels()
        return type(self)(*_parts(words, levels, self.documents, setting))

    def with_seed(self, seed: int) -> Self:
        """Return a lexicon of the same words whose copies are drawn anew."""
        return self.with_setting(replace(self.setting, seed=seed))


def table_shift(slots: int) -> int:
    """Return by how much a word hash is shifted right to give its slot."""
    return 64 - (slots.bit_length() - 1)


def lexicon_id(setting: LexiconSetting, documents: int, table: NDArray[np.uint64]) -> int:
    """Return the id of a lexicon: a hash of all that decides its signatures."""
    decisions = xxhash.xxh3_64_intdigest(f"{documents} {setting}".encode())
    return xxhash.xxh3_64_intdigest(table.tobytes(), seed=decisions)


def _parts(
    words: NDArray[np.uint64], levels: NDArray[np.uint64], documents: int, setting: LexiconSetting
) -> tuple[int, LexiconSetting, int, int, NDArray[np.uint64]]:
    slots = 1 << max(4, int(words.size / _MAX_LOAD).bit_length())
    table = np.zeros(2 * slots, np.uint64)
    limit, shift = np.uint64(setting.keep_limit()), np.uint64(table_shift(slots))
    _fill_table(_frozen(words), _frozen(levels), _frozen(setting.salts()), limit, shift, table)
    table.flags.writeable = False
    return lexicon_id(setting, documents, table), setting, documents, words.size, table


def _frozen(array: NDArray[np.uint64]) -> NDArray[np.uint64]:
    view = np.ascontiguousarray(array, np.uint64).view()
    view.flags.writeable = False
    return view


def make_lexicon(
    words: NDArray[np.uint64], frequencies: NDArray[np.int64], documents: int, setting: LexiconSetting
) -> Lexicon:
    """Return the lexicon of words that stood in so many of the documents each.

    The words are distinct, their order does not matter; there are at least two documents.
    """
    nidf = np.log(documents / frequencies) / np.log(documents)
    levels = np.rint(nidf * TOP_LEVEL).astype(np.uint64)
    order = np.argsort(words | np.uint64(1))
    return Lexicon(*_parts((words | np.uint64(1))[order], levels[order], documents, setting))
