"""What the tag distances are worth on any pages: their order, their separation, what a cascade saves."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hss_stream.lab.ranking import area_under_curve
from hss_stream.signals.page_scan import scan_page
from hss_stream.signals.tag_structure import (
    TagStructure,
    cascade_distance,
    distance_below,
    length_distance,
    rough_distance,
    tag_distance,
    tag_structure,
)
from hss_stream.sources.record import SourceRecord

DISTANCES = {"R": rough_distance, "F": length_distance, "D": tag_distance}


def read_structures(records: Iterable[SourceRecord]) -> tuple[list[str], list[TagStructure]]:
    """Return the URLs and tag structures of the pages among the records."""
    urls, structures = [], []
    for record in records:
        if record.kind == "page":
            scan = scan_page(record.body, record.content_type)
            urls.append(record.url)
            structures.append(tag_structure(scan.tags, scan.tag_lengths))
    return urls, structures


def draw_pairs(labels: Sequence[str] | None, pages: int, count: int, seed: int) -> NDArray[np.int64]:
    """Return random pairs of different pages; with labels, half of them have equal ones."""
    chance = np.random.default_rng(seed)
    pairs: NDArray[np.int64] = chance.integers(0, pages, (count, 2))
    if labels is not None:
        places: dict[str, list[int]] = {}
        for place, label in enumerate(labels):
            places.setdefault(label, []).append(place)
        groups = [group for group in places.values() if len(group) > 1]
        for row in range(0, count if groups else 0, 2):
            pairs[row] = chance.choice(groups[chance.integers(len(groups))], 2, replace=False)
    different: NDArray[np.int64] = pairs[pairs[:, 0] != pairs[:, 1]]
    return different


def evaluate_distances(
    structures: Sequence[TagStructure], labels: Sequence[str] | None, pairs: NDArray[np.int64]
) -> list[dict[str, Any]]:
    """Return a row a distance: mean over the pairs, and how well it tells equal labels from others."""
    couples = [(structures[a], structures[b]) for a, b in pairs.tolist()]
    values = {name: np.array([measure(*couple) for couple in couples]) for name, measure in DISTANCES.items()}
    broken = int(np.count_nonzero((values["R"] > values["F"]) | (values["F"] > values["D"])))
    equal = None if labels is None else np.array([labels[a] == labels[b] for a, b in pairs.tolist()], bool)
    return [
        {
            "case": f"distance {name}",
            "precision": None,
            "recall": None,
            "f": None,
            "auc": None if equal is None else area_under_curve(-found, equal),
            "pairs": len(couples),
            "mean": float(found.mean()) if len(found) else None,
            "order_broken": broken,
        }
        for name, found in values.items()
    ]


def evaluate_cascade(
    structures: Sequence[TagStructure], pairs: NDArray[np.int64], threshold: float, *, lossless: bool
) -> dict[str, Any]:
    """Return which function decided how many of the pairs: the paper's cascade or the lossless one."""
    measure = distance_below if lossless else cascade_distance
    last: Counter[str] = Counter(
        measure(structures[a], structures[b], threshold).last for a, b in pairs.tolist()
    )
    total = max(last.total(), 1)
    return {
        "case": "lossless cascade" if lossless else "cascade",
        "precision": None,
        "recall": None,
        "f": None,
        "auc": None,
        "threshold": threshold,
        "pairs": last.total(),
        **{f"share_{name.lower()}": last[name] / total for name in DISTANCES},
    }
