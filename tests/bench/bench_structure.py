"""Tag distances a second: D against RapidFuzz called bare and difflib, and the cascades."""

import difflib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from rapidfuzz.distance import LCSseq

from hss_stream.signals.tag_structure import (
    PAPER_THRESHOLD,
    StructureTable,
    TagStructure,
    cascade_distance,
    distance_below,
)
from tests.bench.measure import rate_row, summed_best_seconds
from tests.bench.structures import load_structures

# One page against many, as clustering asks: so many pages, each against so many others.
QUERIES, OTHERS = 30, 100
SLOW_PAIRS = 25


def contestants(structures: list[TagStructure]) -> dict[str, list[Callable[[], object]]]:
    """Return what is measured, a piece a query, all over the same pairs; difflib takes a few alone."""
    chance = np.random.default_rng(7)
    table = StructureTable(structures)
    queries = [
        (int(page), chance.integers(0, len(structures), OTHERS))
        for page in chance.integers(0, len(structures), QUERIES)
    ]
    pairs = [[(structures[page], structures[other]) for other in others] for page, others in queries]
    texts = [[(a.tags, b.tags) for a, b in some] for some in pairs]
    every = [pair for some in texts for pair in some]
    few = every[:: len(every) // SLOW_PAIRS][:SLOW_PAIRS]
    return {
        "ours": [partial(table.tag_distances, page, others) for page, others in queries],
        "rapidfuzz": [partial(each, LCSseq.normalized_distance, some) for some in texts],
        "cascade": [partial(each, cascade_distance, some) for some in pairs],
        "lossless": [partial(each, lossless, some) for some in pairs],
        "difflib": [partial(each, difflib_ratio, few)],
    }


def each(measure: Callable[[Any, Any], object], pairs: list[tuple[Any, Any]]) -> None:
    """Measure every pair."""
    for one, other in pairs:
        measure(one, other)


def lossless(one: TagStructure, other: TagStructure) -> object:
    """Return the distance of a pair where it is below the paper's threshold."""
    return distance_below(one, other, PAPER_THRESHOLD)


def difflib_ratio(one: str, other: str) -> float:
    """Return what difflib makes of a pair."""
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def rows(*, slow: bool) -> Iterator[dict[str, object]]:
    """Yield pairs a second: exact D against each baseline, then each cascade against exact D."""
    del slow
    for corpus in ("pages-debian-docs", "pages-web"):
        structures, name = load_structures(corpus)
        seconds = summed_best_seconds(contestants(structures))
        rates = {
            key: (SLOW_PAIRS if key == "difflib" else QUERIES * OTHERS) / spent
            for key, spent in seconds.items()
        }
        for measure, key, baseline in [
            ("distances_per_second", "ours", "rapidfuzz"),
            ("distances_per_second", "ours", "difflib"),
            ("cascade_distances_per_second", "cascade", "rapidfuzz"),
            ("lossless_distances_per_second", "lossless", "rapidfuzz"),
        ]:
            yield rate_row(measure, rates[key], baseline, rates[baseline], corpus=name)
        if name == "generated":
            return
