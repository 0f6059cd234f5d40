"""The paper's text generators, built from a corpus: what `fakeness` has to tell from natural text.

| name | what it writes |
| --- | --- |
| pw5, pw10 | a patchwork of sequences of 5 or 10 tokens from anywhere in the corpus |
| ws10, ws25, ws50 | natural text into which spam words were pushed: 10, 25 or 50 % of its tokens |
| wr10, wr25, wr50 | the same, but each spam word takes the place of a token |
| lm2, lm3, lm4 | a chain: each token drawn from those that followed the last 1, 2 or 3 tokens in the corpus |
| lm2s, lm3s, lm4s | the same, smoothed: Good-Turing mass goes to shorter histories, as SRILM generates |
| salad | tokens drawn independently by frequency |

Texts are made of tokens (hashes of words): that is all a detector sees, and no word has to be kept.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from hss_stream.lab.ngram_counting import DISCOUNTED
from hss_stream.lab.ngram_training import good_turing
from hss_stream.signals.kernel import kernel
from hss_stream.signals.ngram_table import TOKENS_IN, ngram_key
from hss_stream.signals.words import word_hash

Tokens = NDArray[np.uint64]

GENERATORS = (
    "pw5", "pw10", "ws10", "ws25", "ws50", "lm2", "lm3", "lm4", "lm2s", "lm3s", "lm4s", "salad",
    "wr10", "wr25", "wr50",
)  # fmt: skip
MAX_HISTORY = 3

# Words that spam of two decades pushed into texts; `calibration` and `report` share none.
SPAM_WORDS = {
    "calibration": (
        "viagra cialis levitra casino poker roulette slots jackpot bingo gambling mortgage refinance loan "
        "debt credit payday insurance cheap discount free bonus offer pills pharmacy prescription xanax "
        "valium tramadol phentermine ambien hydrocodone rolex replica watches handbags ringtones dating "
        "singles porn sex adult nude webcam enlargement weight loss diet forex stocks investment earn "
        "cash money lottery winner prize guaranteed click buy order online sale download software "
        "antivirus hosting domain seo traffic ranking diploma degree"
    ),
    "report": (
        "zoloft prozac lipitor nexium celebrex propecia kamagra sildenafil tadalafil generic meds "
        "drugstore blackjack baccarat sportsbook betting wager craps lenders consolidation bankruptcy "
        "cashback coupon promo clearance wholesale outlet bargain voucher warez keygen torrent "
        "screensaver gucci prada chanel designer jewelry cigarettes escort fetish erotic hottest babes "
        "girls sexy amateur videos detox slimming botox vitamins supplements steroids bodybuilding "
        "astrology psychic tarot timeshare vacation cruise flights hotels rental marketing bulk affiliate "
        "income profit bitcoin trading signals essay homework thesis cheapest best top deals"
    ),
}


@kernel(types.void(TOKENS_IN, types.int64, types.uint64[::1]))
def _history_keys(tokens: Any, length: int, keys: Any) -> None:
    """Write, for each token that has one, the key of the `length` tokens before it."""
    for position in range(length, tokens.size):
        keys[position] = ngram_key(tokens, position - 1, length)


_KEYS_IN = types.Array(types.uint64, 2, "C", readonly=True)


@kernel(
    types.void(
        TOKENS_IN, _KEYS_IN, types.float64[:, ::1], types.int64, types.float64[:, ::1], types.uint64[::1]
    )
)
def _walk(tokens: Any, keys: Any, leftover: Any, smoothed: int, chances: Any, text: Any) -> None:
    """Write a chain: row n of `keys` has the histories of n + 1 tokens of the corpus, sorted.

    chances[i] are numbers in [0, 1) for token i: one to draw with, and one a history length to back off by.
    tokens[n] is the token that follows the history in the same place of keys[n].
    """
    size = keys.shape[1]
    for position in range(text.size):
        length = min(position, keys.shape[0])
        drawn = np.int64(chances[position, 0] * size)
        row = 0
        while length > 0:
            key = ngram_key(text, position - 1, length)
            begin = np.searchsorted(keys[length - 1], key)
            end = np.searchsorted(keys[length - 1], key, side="right")
            if end > begin and (not smoothed or chances[position, length] >= leftover[length - 1, begin]):
                drawn = begin + np.int64(chances[position, 0] * (end - begin))
                row = length
                break
            length -= 1
        text[position] = tokens[row * size + drawn]


class TextGenerators:
    """All generators over one corpus; the same seed gives the same texts."""

    def __init__(self, documents: Sequence[Tokens], spam: str = "report") -> None:
        self._corpus = np.concatenate(documents) | np.uint64(1)
        self._spam = np.array([word_hash(word) | 1 for word in SPAM_WORDS[spam].split()], np.uint64)
        size = self._corpus.size
        self._keys = np.zeros((MAX_HISTORY, size), np.uint64)
        self._leftover = np.zeros((MAX_HISTORY, size))
        self._followers = np.empty((MAX_HISTORY + 1, size), np.uint64)
        self._followers[0] = self._corpus
        for length in range(1, MAX_HISTORY + 1):
            self._index(length)

    def _index(self, length: int) -> None:
        """Sort the corpus by histories of a length, and find how much of each Good-Turing sets aside."""
        keys = np.zeros(self._corpus.size, np.uint64)
        _history_keys(self._corpus, length, keys)
        by_history = np.lexsort((self._corpus, keys))
        keys, followers = keys[by_history], self._corpus[by_history]
        new = np.concatenate(([True], (keys[1:] != keys[:-1]) | (followers[1:] != followers[:-1])))
        begins = np.flatnonzero(new)
        counts = np.diff(np.append(begins, keys.size))
        capped = np.minimum(counts, DISCOUNTED + 2)
        discounts = good_turing(np.bincount(capped, minlength=DISCOUNTED + 3)[:-1])
        set_aside = (1.0 - discounts[np.minimum(counts, DISCOUNTED + 1)]) * counts
        first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
        whole = np.diff(np.append(first, keys.size))
        total = np.add.reduceat(set_aside, np.searchsorted(begins, first))
        self._keys[length - 1] = keys
        self._followers[length] = followers
        self._leftover[length - 1, first] = total / whole

    def write(self, name: str, tokens: int, chance: np.random.Generator, natural: Tokens) -> Tokens:
        """Return a text of a generator; `natural` is what words are stuffed into."""
        if name == "salad":
            return self._corpus[chance.integers(0, self._corpus.size, tokens)]
        kind, number = name[:2], int(name[2:].rstrip("s"))
        if kind == "pw":
            begins = chance.integers(0, self._corpus.size - number, -(-tokens // number))
            return np.concatenate([self._corpus[begin : begin + number] for begin in begins])[:tokens]
        if kind in {"ws", "wr"}:
            return self._stuffed(tokens, number / 100, chance, natural, instead=kind == "wr")
        return self._chain(number - 1, tokens, chance, smoothed=name.endswith("s"))

    def _stuffed(
        self, tokens: int, share: float, chance: np.random.Generator, natural: Tokens, *, instead: bool
    ) -> Tokens:
        pushed = chance.random(tokens) < share
        many = int(pushed.sum())
        text = np.resize(natural, tokens)
        if not instead:
            text[~pushed] = text[: tokens - many].copy()
        text[pushed] = self._spam[chance.integers(0, self._spam.size, many)]
        return text

    def _chain(self, history: int, tokens: int, chance: np.random.Generator, *, smoothed: bool) -> Tokens:
        text = np.empty(tokens, np.uint64)
        _walk(
            self._followers.reshape(-1),
            self._keys[:history],
            self._leftover[:history],
            int(smoothed),
            chance.random((tokens, MAX_HISTORY + 1)),
            text,
        )
        return text
