"""Fitting `fakeness`: what natural text of many genres looks like, and what each family of generators does.

Each head is a ridge logistic regression on a few figures, chosen so that they move little between genres:
more figures fit the genres at hand better and genres never seen worse. Genres count equally, however many
texts they have. The threshold lies nearly half of the way from the most alarming natural texts to the typical
fake one, so there is room for genres that are further out than those seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.fake_text import FEATURES, FOOT, Calibration, Feature, text_features
from hss_stream.signals.ngram_score import Sum

Floats = NDArray[np.float64]

LENGTHS = (125, 250, 500, 1000, 2000, 4000)
RIDGE = 1e-2
# This share of the natural texts of a genre may look more alarming than the foot of the slope.
OUTLIERS = 0.01
# The share of genres that this has to hold for: tables of contents and the like would blunt every head.
USUAL_GENRES = 0.85
# Log-odds of the typical fake and of the typical natural text; 0 is the threshold.
TYPICAL, TYPICAL_NATURAL = 4.0, -7.0
# English prose of any genre has 93 to 99 % known words, French 75 %; half of a program is punctuation.
MIN_WORDS_KNOWN = 0.78
MIN_PAIRS_KNOWN = 0.12
MAX_SYMBOLS = 0.36


@dataclass(frozen=True)
class Head:
    """One family of generators and the figures that betray it."""

    generators: tuple[str, ...]
    features: tuple[Feature, ...]


_REPEATED = Feature(Sum.REPEATED, Sum.RARE)
_REPEATED_CAPPED = Feature(Sum.REPEATED, Sum.RARE, 0.15)
_SYMBOLS = Feature(Sum.SYMBOLS, Sum.TOKENS)
HEADS: Mapping[str, Head] = {
    "chain_2": Head(
        ("lm2", "lm2s", "salad"),
        (Feature(Sum.GAIN_3, Sum.KNOWN_3), _REPEATED, _REPEATED_CAPPED, _SYMBOLS),
    ),
    "chain_3": Head(
        ("lm3", "lm3s", "salad"),
        (Feature(Sum.GAIN_4, Sum.KNOWN_4), _REPEATED, _REPEATED_CAPPED, _SYMBOLS),
    ),
    "stuffing": Head(
        ("ws10", "ws25", "ws50"),
        (
            Feature(Sum.WEDGES, Sum.TOKENS),
            Feature(Sum.WEDGES, Sum.LONE),
            Feature(Sum.RARE, Sum.TOKENS),
            _REPEATED,
            _SYMBOLS,
        ),
    ),
    "patchwork": Head(
        ("pw5", "pw10", "salad"),
        (
            Feature(Sum.MISFITS, Sum.KNOWN_2),
            Feature(Sum.GAIN_3, Sum.KNOWN_3),
            _REPEATED,
            _REPEATED_CAPPED,
            _SYMBOLS,
        ),
    ),
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


def _balanced(genres: Sequence[str]) -> Floats:
    """Return a weight for each text, such that all genres together weigh 1 and each the same."""
    names, place, counts = np.unique(genres, return_inverse=True, return_counts=True)
    weights: Floats = 1.0 / (counts[place] * names.size)
    return weights


def _natural_foot(alarm: Floats, genres: NDArray[np.str_]) -> float:
    """Return the alarm that few natural texts exceed: of all together, and of all but the oddest genres."""
    by_genre = [np.quantile(alarm[genres == genre], 1 - OUTLIERS) for genre in np.unique(genres)]
    return float(max(np.quantile(alarm, 1 - OUTLIERS), np.quantile(by_genre, USUAL_GENRES)))


def fit_head(head: Head, natural: Sequence[Sample], fake: Sequence[Sample]) -> tuple[Floats, float]:
    """Return the weights over FEATURES and the constant, scaled to FOOT and TYPICAL, and the spread."""
    used = [FEATURES.index(feature) for feature in head.features]
    rows = text_features(np.array([sample.sums for sample in (*natural, *fake)]))[:, used]
    truth = np.repeat([0.0, 1.0], [len(natural), len(fake)])
    genres = np.array([sample.genre for sample in natural])
    kinds = [f"{sample.genre}/{sample.generator}" for sample in fake]
    weights = np.concatenate((_balanced(list(genres)), _balanced(kinds)))
    plain = fit_logistic(rows, truth, weights)
    alarm = rows @ plain[:-1] + plain[-1]
    foot = _natural_foot(alarm[: len(natural)], genres)
    typical = max(float(np.median(alarm[len(natural) :])), foot + float(alarm[: len(natural)].std()))
    scale = (TYPICAL - FOOT) / (typical - foot)
    scaled = np.zeros(len(FEATURES) + 1)
    scaled[used] = plain[:-1] * scale
    scaled[-1] = (plain[-1] - foot) * scale + FOOT
    middle = float(
        np.mean([np.median(alarm[: len(natural)][genres == genre]) for genre in np.unique(genres)])
    )
    spread = (FOOT - TYPICAL_NATURAL) / max((foot - middle) * scale, 1e-6)
    return scaled, spread


def fit_calibration(samples: Sequence[Sample]) -> Calibration | None:
    """Return the calibration that the samples give, at each of their lengths; None if there are none."""
    lengths = sorted({sample.length for sample in samples})
    if not lengths:
        return None
    weights = np.zeros((len(lengths), len(HEADS), len(FEATURES) + 1))
    spreads = np.ones(weights.shape[:2])
    limits = Calibration(
        tuple(HEADS),
        np.array(lengths, np.int64),
        weights,
        spreads,
        MIN_WORDS_KNOWN,
        MIN_PAIRS_KNOWN,
        MAX_SYMBOLS,
    )
    for row, length in enumerate(lengths):
        here = [sample for sample in samples if sample.length == length]
        natural = [sample for sample in here if sample.generator is None and limits.is_language(sample.sums)]
        for column, head in enumerate(HEADS.values()):
            fake = [sample for sample in here if sample.generator in head.generators]
            weights[row, column], spreads[row, column] = fit_head(head, natural, fake)
    return limits
