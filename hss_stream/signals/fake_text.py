"""Is a text natural or made by a machine? Sums over its tokens in, a calibrated `fakeness` out.

Each *head* is a logistic regression that knows one family of generators (chains, patchworks, stuffing) from
natural text of many genres; its weights depend on the length of the text, because what is normal for 200
tokens is not for 5,000. Fakeness is that of the head most alarmed, and 0.5 is the threshold at which few
natural texts of genres never seen are called fake (docs/algorithms/faketext.md has the figures).

Sums add up: judge several texts as one by the sum of their sums.
"""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.ngram_score import Sum, sum_text
from hss_stream.signals.ngram_table import NgramModel
from hss_stream.signals.words import WordHasher

TextVerdict = Literal["natural", "fake", "too_short", "unknown_language"]

THRESHOLD = 0.5
# Log-odds that nearly no natural text exceeds; between it and 0 there is room for genres never seen.
FOOT = -3.0
# Prose has 30 to 50 % rare words; a text with next to none is one word, or a few, again and again.
MIN_RARE = 0.05
SPAN_TOKENS = 16
SPAN_CHARACTERS = 200
# Tokens scored of a text unless told otherwise; docs/algorithms/faketext.md says what the cap loses.
MAX_TOKENS = 10_000
# English has 6 bytes a token; beyond this a text is mostly no words, and hashing it would cost for nothing.
MAX_TOKEN_BYTES = 32


class Feature(NamedTuple):
    """A rate that the heads weigh: a sum over a count, never below `least` nor above `most`.

    `usual` is what natural text has; a rate over few tokens is drawn towards it. `rises` says that fake texts
    have more of it.
    """

    upper: Sum
    lower: Sum
    usual: float
    least: float
    most: float
    rises: bool


# Beyond these limits no generator goes: what lies further out is a table, a menu or a list, and says no more.
FEATURES: tuple[Feature, ...] = (
    Feature(Sum.GAIN_3, Sum.PLAIN_3, 0.3, -0.45, 1.0, rises=False),
    Feature(Sum.GAIN_4, Sum.PLAIN_4, 0.05, -0.3, 0.3, rises=False),
    Feature(Sum.MISFITS, Sum.PLAIN_2, 0.2, 0.1, 0.45, rises=True),
    Feature(Sum.NEAR, Sum.RARE, 0.2, 0.0, 0.12, rises=False),
    Feature(Sum.SAME, Sum.REPEATED, 0.4, 0.0, 0.6, rises=False),
    Feature(Sum.STRAY_REPEATS, Sum.TOKENS, 0.015, 0.0, 0.4, rises=True),
    Feature(Sum.WEDGES, Sum.TOKENS, 0.003, 0.0, 0.1, rises=True),
)
# So many tokens of usual text are added to what a rate is taken over.
USUAL_TOKENS = 20.0
_UPPER = np.array([feature.upper for feature in FEATURES])
_LOWER = np.array([feature.lower for feature in FEATURES])
_USUAL = np.array([feature.usual for feature in FEATURES])
_LEAST = np.array([feature.least for feature in FEATURES])
_MOST = np.array([feature.most for feature in FEATURES])


@dataclass(frozen=True)
class Calibration:
    """Weights of the heads at several lengths; between two lengths they are mixed by the logarithm.

    `weights` has the shape (lengths, heads, features + 1), the last being the constant. Below FOOT, where
    nearly all natural texts are, a head's alarm is stretched by `spreads` (lengths, heads), so that natural
    texts lie equally low for all heads and the highest head can be compared between texts. A text with fewer
    tokens than the least length is too short. One with fewer known words or pairs of words, or more
    punctuation, than the limits (shares of all tokens) is in another language, or no prose at all.
    """

    heads: tuple[str, ...]
    lengths: NDArray[np.int64]
    weights: NDArray[np.float64]
    spreads: NDArray[np.float64]
    min_words_known: float
    min_pairs_known: float
    max_symbols: float

    def alarms(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-odds, one a head, that a text is fake."""
        length = np.log(max(float(sums[Sum.TOKENS]), 1.0))
        place = float(np.interp(length, np.log(self.lengths), np.arange(self.lengths.size)))
        before = int(place)
        after = min(before + 1, self.lengths.size - 1)
        share = place - before
        weights = (1 - share) * self.weights[before] + share * self.weights[after]
        spreads = (1 - share) * self.spreads[before] + share * self.spreads[after]
        plain: NDArray[np.float64] = weights[:, :-1] @ text_features(sums) + weights[:, -1]
        return np.where(plain < FOOT, FOOT + (plain - FOOT) * spreads, plain)

    def is_language(self, sums: NDArray[np.float64]) -> bool:
        """Tell whether a text is prose in the language of the model."""
        tokens = max(float(sums[Sum.TOKENS]), 1.0)
        return bool(
            sums[Sum.WORDS_KNOWN] >= self.min_words_known * tokens
            and sums[Sum.PAIRS_KNOWN] >= self.min_pairs_known * tokens
            and sums[Sum.SYMBOLS] <= self.max_symbols * tokens
            and sums[Sum.RARE] >= MIN_RARE * tokens
        )


@dataclass(frozen=True)
class FakeTextModel:
    """A language model and what its figures mean; `calibration` is None where nobody measured it."""

    ngrams: NgramModel
    calibration: Calibration | None


def text_features(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rates of FEATURES."""
    rates = (sums[..., _UPPER] + USUAL_TOKENS * _USUAL) / (sums[..., _LOWER] + USUAL_TOKENS)
    within: NDArray[np.float64] = np.clip(rates, _LEAST, _MOST)
    return within


@dataclass(frozen=True)
class FakeTextScore:
    """What a model says of a text, or of several whose sums were added; None is what cannot be computed.

    `family` is the head most alarmed: the kind of generator a fake text would come from.
    """

    model: str
    tokens: int
    known_histories_3: int
    known_histories_4: int
    perplexity_3: float | None
    perplexity_4: float | None
    penalty_3: float | None
    penalty_4: float | None
    verdict: TextVerdict
    fakeness: float | None
    family: str | None


def score_sums(model: FakeTextModel, sums: NDArray[np.float64]) -> FakeTextScore:
    """Return the score of summed texts."""
    tokens = int(sums[Sum.TOKENS])
    verdict, fakeness, family = _judge(model.calibration, sums)
    return FakeTextScore(
        model=model.ngrams.identity,
        tokens=tokens,
        known_histories_3=int(sums[Sum.KNOWN_3]),
        known_histories_4=int(sums[Sum.KNOWN_4]),
        perplexity_3=2.0 ** -float(sums[Sum.LOG_3] / tokens) if tokens else None,
        perplexity_4=2.0 ** -float(sums[Sum.LOG_4] / tokens) if tokens else None,
        penalty_3=float(sums[Sum.PENALTY_3] / sums[Sum.KNOWN_3]) if sums[Sum.KNOWN_3] else None,
        penalty_4=float(sums[Sum.PENALTY_4] / sums[Sum.KNOWN_4]) if sums[Sum.KNOWN_4] else None,
        verdict=verdict,
        fakeness=fakeness,
        family=family,
    )


def _judge(
    calibration: Calibration | None, sums: NDArray[np.float64]
) -> tuple[TextVerdict, float | None, str | None]:
    """Return verdict, fakeness and family; without a calibration every text is too short to judge."""
    tokens = float(sums[Sum.TOKENS])
    if calibration is None or tokens < calibration.lengths[0]:
        return "too_short", None, None
    if not calibration.is_language(sums):
        return "unknown_language", None, None
    alarms = calibration.alarms(sums)
    worst = int(np.argmax(alarms))
    fakeness = 1.0 / (1.0 + math.exp(-min(30.0, max(-30.0, float(alarms[worst])))))
    return ("fake" if fakeness >= THRESHOLD else "natural"), fakeness, calibration.heads[worst]


@dataclass(frozen=True)
class Span:
    """A stretch of text and its penalty: bits a token by which it is less likely in place than anywhere."""

    text: str
    penalty: float


class FakeTextScorer:
    """Sums and worst spans of texts; holds scratch memory, so one belongs to one thread.

    Only the first `max_tokens` of a text count (docs/algorithms/faketext.md says what that loses).
    """

    def __init__(self, model: FakeTextModel, max_tokens: int = MAX_TOKENS) -> None:
        self.model = model
        self._max_tokens = max_tokens
        self._hasher = WordHasher()

    def sums(self, text: bytes) -> NDArray[np.float64]:
        """Return the sums of a text in UTF-8."""
        return sum_text(self.model.ngrams, self._tokens(text))

    def score(self, text: bytes) -> FakeTextScore:
        """Return the score of a text in UTF-8."""
        return score_sums(self.model, self.sums(text))

    def worst_spans(self, text: bytes, count: int = 3) -> list[Span]:
        """Return the stretches that fit their place least, worst first; costs more than the score."""
        tokens = self._tokens(text)
        surprises = np.zeros(tokens.size, np.float32)
        sum_text(self.model.ngrams, tokens, surprises=surprises)
        if tokens.size < SPAN_TOKENS:
            return []
        totals = np.concatenate(([0.0], np.cumsum(surprises, dtype=np.float64)))
        means = (totals[SPAN_TOKENS:] - totals[:-SPAN_TOKENS]) / SPAN_TOKENS
        spans: list[Span] = []
        for _ in range(count):
            begin = int(np.argmax(means))
            if means[begin] <= 0.0:
                break
            spans.append(Span(self._cut(text, begin, begin + SPAN_TOKENS), round(float(means[begin]), 3)))
            means[max(0, begin - SPAN_TOKENS + 1) : begin + SPAN_TOKENS] = -np.inf
        return spans

    def _tokens(self, text: bytes) -> NDArray[np.uint64]:
        """Return the tokens that count; a text of giant words is cut before it is hashed."""
        return self._hasher.hash(text[: self._max_tokens * MAX_TOKEN_BYTES])[: self._max_tokens]

    def _cut(self, text: bytes, first: int, end: int) -> str:
        """Return the text of tokens first to end, at most SPAN_CHARACTERS of it."""
        stretch = text[self._offset(text, first) : self._offset(text, end)]
        return " ".join(stretch.decode(errors="replace").split())[:SPAN_CHARACTERS]

    def _offset(self, text: bytes, token: int) -> int:
        """Return where a token begins, by halving: the hasher counts tokens faster than Python could."""
        low, high = 0, min(len(text), self._max_tokens * MAX_TOKEN_BYTES)
        if self._hasher.hash(text[:high]).size <= token:
            return high
        while high - low > 1:
            middle = (low + high) // 2
            if self._hasher.hash(text[:middle]).size > token:
                high = middle
            else:
                low = middle
        while low and text[low] & 0xC0 == 0x80:
            low -= 1
        return low
