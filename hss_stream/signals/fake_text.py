"""Is a text natural or made by a machine? Sums over its tokens in, a calibrated `fakeness` out.

Each *head* is a logistic regression that knows one family of generators (chains, stuffing, patchworks) from
natural text of many genres; its weights depend on the length of the text, because what is normal for 200
tokens is not for 5,000. Fakeness is that of the head most alarmed, and 0.5 is the threshold at which few
natural texts of genres never seen are called fake (docs/algorithms/faketext.md has the figures).

Sums add up: judge a host by the sum of its pages' sums.
"""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.ngram_score import Sum
from hss_stream.signals.ngram_table import NgramModel

TextVerdict = Literal["natural", "fake", "too_short", "unknown_language"]

THRESHOLD = 0.5


class Feature(NamedTuple):
    """A rate that the heads weigh: a sum over a count, at most `cap`."""

    upper: Sum
    lower: Sum
    cap: float = math.inf


FEATURES: tuple[Feature, ...] = (
    Feature(Sum.GAIN_2, Sum.KNOWN_2),
    Feature(Sum.GAIN_3, Sum.KNOWN_3),
    Feature(Sum.GAIN_4, Sum.KNOWN_4),
    Feature(Sum.PENALTY_3, Sum.KNOWN_3),
    Feature(Sum.PENALTY_4, Sum.KNOWN_4),
    Feature(Sum.MISFITS, Sum.KNOWN_2),
    Feature(Sum.WEDGES, Sum.TOKENS),
    Feature(Sum.WEDGES, Sum.LONE),
    Feature(Sum.RARE, Sum.TOKENS),
    Feature(Sum.REPEATED, Sum.RARE),
    # No text out of many documents repeats so much of what is rare; beyond that more says little.
    Feature(Sum.REPEATED, Sum.RARE, 0.15),
    Feature(Sum.SYMBOLS, Sum.TOKENS),
)
_UPPER = np.array([feature.upper for feature in FEATURES])
_LOWER = np.array([feature.lower for feature in FEATURES])
_CAPS = np.array([feature.cap for feature in FEATURES])


@dataclass(frozen=True)
class Calibration:
    """Weights of the heads at several lengths; between two lengths they are mixed by the logarithm.

    `weights` has the shape (lengths, heads, features + 1), the last being the constant. A text with fewer
    tokens than the least length is too short. One with fewer known words or pairs of words, or more
    punctuation, than the limits (shares of all tokens) is in another language, or no prose at all.
    """

    heads: tuple[str, ...]
    lengths: NDArray[np.int64]
    weights: NDArray[np.float64]
    min_words_known: float
    min_pairs_known: float
    max_symbols: float

    def at(self, tokens: float) -> NDArray[np.float64]:
        """Return the weights for a length, of the shape (heads, features + 1)."""
        place = np.interp(np.log(max(tokens, 1.0)), np.log(self.lengths), np.arange(self.lengths.size))
        before = int(place)
        after = min(before + 1, self.lengths.size - 1)
        share = place - before
        mixed: NDArray[np.float64] = (1 - share) * self.weights[before] + share * self.weights[after]
        return mixed

    def is_language(self, sums: NDArray[np.float64]) -> bool:
        """Tell whether a text is prose in the language of the model."""
        tokens = max(float(sums[Sum.TOKENS]), 1.0)
        return bool(
            sums[Sum.WORDS_KNOWN] >= self.min_words_known * tokens
            and sums[Sum.PAIRS_KNOWN] >= self.min_pairs_known * tokens
            and sums[Sum.SYMBOLS] <= self.max_symbols * tokens
        )


@dataclass(frozen=True)
class FakeTextModel:
    """A language model and what its figures mean; `calibration` is None where nobody measured it."""

    ngrams: NgramModel
    calibration: Calibration | None


def text_features(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rates of FEATURES; a rate over nothing is 0."""
    upper, lower = sums[..., _UPPER], sums[..., _LOWER]
    rates = np.divide(upper, lower, out=np.zeros_like(upper), where=lower > 0)
    capped: NDArray[np.float64] = np.minimum(rates, _CAPS)
    return capped
