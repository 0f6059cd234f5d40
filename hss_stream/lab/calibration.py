"""Fitting `fakeness`: what natural text of many genres looks like, and what each family of generators does.

Each head is a ridge logistic regression on two or three figures, chosen so that they move little between
genres: more figures fit the genres at hand better and genres never seen worse. Genres count equally, however
many texts they have. The threshold lies nearly half of the way from the most alarming texts of the most
alarming genre to the typical fake text, so there is room for genres further out than those seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.fake_text import FEATURES, FOOT, Calibration, Feature, text_features

Floats = NDArray[np.float64]

LENGTHS = (125, 250, 500, 1000, 2000, 4000)
RIDGE = 1e-2
# This share of the natural texts of a genre may look more alarming than the foot of the slope.
OUTLIERS = 0.01
# Log-odds of the typical natural text, and of the typical fake one by its length; 0 is the threshold. A short
# text needs more evidence: of those with 125 tokens only the more glaring half is called fake.
TYPICAL_NATURAL = -7.0
TYPICAL_LENGTHS = (125, 1000)
TYPICAL_FAKE = (0.0, 4.0)
# English of any genre has 92 to 99 % known words, most French below 85 %; more than a third of a program's
# tokens are marks.
MIN_WORDS_KNOWN = 0.85
MIN_PAIRS_KNOWN = 0.12
MAX_SYMBOLS = 0.36


@dataclass(frozen=True)
class Head:
    """One family of generators and the figures that betray it."""

    generators: tuple[str, ...]
    features: tuple[Feature, ...]


_GAIN_3, _GAIN_4, _MISFITS, _NEAR, _SAME, _STRAYS, _WEDGES = FEATURES
HEADS: Mapping[str, Head] = {
    "chain_2": Head(("lm2", "lm2s", "salad"), (_GAIN_3, _NEAR)),
    "chain_3": Head(("lm3", "lm3s", "salad"), (_GAIN_4, _GAIN_3, _NEAR)),
    "patchwork": Head(("pw5", "pw10", "salad"), (_MISFITS, _GAIN_3, _NEAR)),
    "stuffing": Head(("ws25", "ws50", "wr25", "wr50"), (_STRAYS, _SAME, _WEDGES)),
    "light_stuffing": Head(("ws10", "wr10"), (_STRAYS, _SAME, _WEDGES)),
}


@dataclass(frozen=True)
class Sample:
    """The sums of one text of a genre; `generator` is None for a natural one."""

    genre: str
    generator: str | None
    length: int
    sums: Floats


def fit_logistic(rows: Floats, truth: Floats, weights: Floats) -> Floats:
    """Return the weights of a ridge logistic regression, the constant last, by Newton's method."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    design = np.column_stack(((rows - mean) / spread, np.ones(len(rows))))
    ridge = RIDGE * weights.sum() * np.append(np.ones(rows.shape[1]), 1e-6)
    solution = np.zeros(design.shape[1])
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-np.clip(design @ solution, -30, 30)))
        slope = design.T @ (weights * (chance - truth)) + ridge * solution
        bend = (design * (weights * chance * (1 - chance))[:, None]).T @ design + np.diag(ridge + 1e-9)
        solution = solution - np.linalg.solve(bend, slope)
    plain = solution[:-1] / spread
    return np.append(plain, solution[-1] - plain @ mean)


def _balanced(genres: NDArray[np.str_]) -> Floats:
    """Return a weight for each text, such that all genres together weigh 1 and each the same."""
    names, place, counts = np.unique(genres, return_inverse=True, return_counts=True)
    weights: Floats = 1.0 / (counts[place] * names.size)
    return weights


def _fit_rising(rows: Floats, truth: Floats, weights: Floats) -> Floats:
    """Return a regression without negative weights: a figure that points the wrong way is left out."""
    kept = np.ones(rows.shape[1], bool)
    solution = np.zeros(rows.shape[1] + 1)
    while kept.any():
        solution[:] = 0.0
        solution[np.append(kept, True)] = fit_logistic(rows[:, kept], truth, weights)
        if (solution[:-1] >= 0.0).all():
            break
        kept[int(np.argmin(np.where(kept, solution[:-1] * rows.std(axis=0), np.inf)))] = False
    return solution


def _by_kind(alarm: Floats, kinds: NDArray[np.str_], share: float) -> Floats:
    """Return the quantile of each kind of text."""
    return np.array([np.quantile(alarm[kinds == kind], share) for kind in np.unique(kinds)])


def fit_head(head: Head, natural: Sequence[Sample], fake: Sequence[Sample]) -> tuple[Floats, float]:
    """Return the weights over FEATURES and the constant, scaled to FOOT and TYPICAL_FAKE, and the spread."""
    used = [FEATURES.index(feature) for feature in head.features]
    signs = np.array([1.0 if feature.rises else -1.0 for feature in head.features])
    rows = text_features(np.array([sample.sums for sample in (*natural, *fake)]))[:, used] * signs
    truth = np.repeat([0.0, 1.0], [len(natural), len(fake)])
    genres = np.array([sample.genre for sample in natural])
    kinds = np.array([f"{sample.genre}/{sample.generator}" for sample in fake])
    plain = _fit_rising(rows, truth, np.concatenate((_balanced(genres), _balanced(kinds))))
    alarm = rows @ plain[:-1] + plain[-1]
    usual, odd = alarm[: len(natural)], alarm[len(natural) :]
    foot = float(_by_kind(usual, genres, 1 - OUTLIERS).max())
    typical = max(float(np.median(_by_kind(odd, kinds, 0.5))), foot + float(usual.std()))
    height = np.interp(np.log(fake[0].length), np.log(TYPICAL_LENGTHS), TYPICAL_FAKE)
    scale = float(height - FOOT) / (typical - foot)
    scaled = np.zeros(len(FEATURES) + 1)
    scaled[used] = plain[:-1] * signs * scale
    scaled[-1] = (plain[-1] - foot) * scale + FOOT
    middle = float(_by_kind(usual, genres, 0.5).mean())
    return scaled, (FOOT - TYPICAL_NATURAL) / max((foot - middle) * scale, 1e-6)


def _is_prose(sums: Floats) -> bool:
    """Tell whether a natural text is one that a model will judge."""
    nothing = np.zeros((1, 0, len(FEATURES) + 1))
    limits = (MIN_WORDS_KNOWN, MIN_PAIRS_KNOWN, MAX_SYMBOLS)
    return Calibration((), np.ones(1, np.int64), nothing, np.ones((1, 0)), *limits).is_language(sums)


def _fitting_lengths(samples: Sequence[Sample]) -> list[int]:
    """Return the lengths for which there is natural text, and some of every head's generators."""
    kinds: dict[int, set[str | None]] = {}
    for sample in samples:
        if sample.generator is not None or _is_prose(sample.sums):
            kinds.setdefault(sample.length, set()).add(sample.generator)
    return sorted(
        length
        for length, found in kinds.items()
        if None in found and all(found & {*head.generators} for head in HEADS.values())
    )


def fit_calibration(samples: Sequence[Sample]) -> Calibration | None:
    """Return the calibration that the samples give, at each of their lengths; None if there are none."""
    lengths = _fitting_lengths(samples)
    if not lengths:
        return None
    weights = np.zeros((len(lengths), len(HEADS), len(FEATURES) + 1))
    spreads = np.ones(weights.shape[:2])
    for row, length in enumerate(lengths):
        here = [sample for sample in samples if sample.length == length]
        natural = [sample for sample in here if sample.generator is None and _is_prose(sample.sums)]
        for column, head in enumerate(HEADS.values()):
            fake = [sample for sample in here if sample.generator in head.generators]
            weights[row, column], spreads[row, column] = fit_head(head, natural, fake)
    limits = (MIN_WORDS_KNOWN, MIN_PAIRS_KNOWN, MAX_SYMBOLS)
    return Calibration(tuple(HEADS), np.array(lengths, np.int64), weights, spreads, *limits)
