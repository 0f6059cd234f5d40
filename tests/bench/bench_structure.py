"""Tag distances a second: D against RapidFuzz called bare and difflib, and the cascades."""

import difflib
from collections.abc import Callable, Iterator

import numpy as np
from rapidfuzz.distance import LCSseq

from hss_stream.signals.tag_structure import (
    StructureTable,
    TagStructure,
    cascade_distance,
    distance_below,
)
from tests.bench.measure import best_seconds, rate_row
from tests.bench.structures import load_structures

# One page against many, as clustering asks: so many pages, each against so many others.
QUERIES, OTHERS = 15, 100
SLOW_PAIRS = 25


def contestants(structures: list[TagStructure]) -> dict[str, Callable[[], object]]:
    """Return what is measured, all over the same pairs; difflib takes the first few alone."""
    chance = np.random.default_rng(7)
    table = StructureTable(structures)
    queries = [
        (int(page), chance.integers(0, len(structures), OTHERS))
        for page in chance.integers(0, len(structures), QUERIES)
    ]
    pairs = [(structures[page], structures[other]) for page, others in queries for other in others]
    texts = [(a.tags, b.tags) for a, b in pairs]
    few = texts[:: len(texts) // SLOW_PAIRS][:SLOW_PAIRS]
    return {
        "ours": lambda: [table.tag_distances(page, others) for page, others in queries],
        "rapidfuzz": lambda: [LCSseq.normalized_distance(a, b) for a, b in texts],
        "cascade": lambda: [cascade_distance(a, b) for a, b in pairs],
        "lossless": lambda: [distance_below(a, b, 0.25) for a, b in pairs],
        "difflib": lambda: [difflib.SequenceMatcher(None, a, b, autojunk=False).ratio() for a, b in few],
    }


def rows(*, slow: bool) -> Iterator[dict[str, object]]:
    """Yield pairs a second: exact D against each baseline, then each cascade against exact D."""
    del slow
    for corpus in ("pages-debian-docs", "pages-web"):
        structures, name = load_structures(corpus)
        seconds = best_seconds(contestants(structures))
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
