"""The tables of the 2006 paper on any pages: clusters against labels, misses of the probing, the estimate.

`paper` is the paper's own sketch with all 64 bits of a slot; `default` is the byte form of format 2 that the
stream uses.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hss_stream.lab.pair_scores import count_pairs, f_measure, pair_precision, pair_recall
from hss_stream.lab.style_clusters import cluster_styles
from hss_stream.signals.page_scan import scan_page
from hss_stream.signals.probes import PROBES, draw_probes, miss_probability
from hss_stream.signals.style_grams import exact_jaccard, style_grams
from hss_stream.signals.style_sketch import DEFAULT_FORMAT, EMPTY_SLOT, PAPER_FORMAT, SLOTS
from hss_stream.sources.record import SourceRecord
from hss_stream.verdicts.style_match import THRESHOLD_SLOTS, sketch_rows

Setting = Literal["paper", "default"]

# All pairs of this many pages are compared where every pair is needed.
SAMPLED_PAGES = 2000
# Pages whose full gram sets are kept, and the fewest grams at which all slots are as good as filled.
EXACT_PAGES = 400
LEAST_GRAMS = 800


@dataclass(frozen=True, slots=True)
class Sketches:
    """The sketches of all pages of a source, a row a page; slots that hold `empty` never match."""

    urls: list[str]
    values: NDArray[np.unsignedinteger]
    empty: int
    # Full gram sets of some pages, by their place, for the error of the estimate.
    grams: dict[int, NDArray[np.uint64]]


def sketch_pages(records: Iterable[SourceRecord], setting: Setting, seed: int = 1) -> Sketches:
    """Return the sketches of the pages among the records, in order."""
    urls: list[str] = []
    rows: list[bytes] = []
    grams: dict[int, NDArray[np.uint64]] = {}
    chance = np.random.default_rng(seed)
    number = PAPER_FORMAT if setting == "paper" else DEFAULT_FORMAT
    for record in records:
        if record.kind != "page":
            continue
        # Every page is equally likely to be among those kept, however many follow.
        place = int(chance.integers(len(urls) + 1))
        if len(grams) < EXACT_PAGES or place < EXACT_PAGES:
            if len(grams) == EXACT_PAGES:
                del grams[sorted(grams)[place]]
            grams[len(urls)] = style_grams(record.body, record.content_type, number=number)
        scan = scan_page(record.body, record.content_type)
        urls.append(record.url)
        rows.append(scan.paper_style.values.tobytes() if setting == "paper" else scan.style.to_bytes())
    joined = b"".join(rows)
    if setting == "paper":
        return Sketches(urls, np.frombuffer(joined, np.uint64).reshape(-1, SLOTS), EMPTY_SLOT, grams)
    return Sketches(urls, sketch_rows(joined), 0, grams)


def evaluate_clusters(
    sketches: Sketches, precision_by: Sequence[str] | None, recall_by: Sequence[str] | None
) -> dict[str, Any]:
    """Return the row of procedure 2: pair precision by one label, recall by another, and sizes."""
    clusters = cluster_styles(sketches.values, sketches.empty).tolist()
    precision = pair_precision(clusters, precision_by) if precision_by is not None else None
    recall = pair_recall(clusters, recall_by) if recall_by is not None else None
    sizes = Counter(clusters)
    joined = count_pairs(Counter(clusters))
    return {
        "case": "clusters",
        "precision": precision,
        "recall": recall,
        "f": f_measure(precision, recall),
        "auc": None,
        "pages": len(clusters),
        "clusters": sum(size > 1 for size in sizes.values()),
        "clustered_pages": sum(size for size in sizes.values() if size > 1),
        "largest": max(sizes.values(), default=0),
        "joined_pairs": joined,
        "wrong_pairs": None if precision is None else round(joined * (1 - precision)),
    }


def sample_rows(count: int, seed: int) -> NDArray[np.int64]:
    """Return at most SAMPLED_PAGES places, in order."""
    chosen = np.random.default_rng(seed).permutation(count)[:SAMPLED_PAGES]
    return np.sort(chosen)


def similar_pairs(values: NDArray[np.unsignedinteger], empty: int) -> Iterator[NDArray[np.bool_]]:
    """Yield, for each pair of rows that match on enough slots, which slots match."""
    filled = values != values.dtype.type(empty)
    for place in range(len(values) - 1):
        same = (values[place + 1 :] == values[place]) & filled[place]
        yield same[np.count_nonzero(same, axis=1) >= THRESHOLD_SLOTS]


def measure_misses(sketches: Sketches, seed: int) -> tuple[int, int]:
    """Return how many similar pairs the probing never meets, and how many similar pairs there are."""
    rows = sample_rows(len(sketches.urls), seed)
    probes = draw_probes()[:, 0]
    missed = total = 0
    for same in similar_pairs(sketches.values[rows], sketches.empty):
        total += len(same)
        missed += int(np.count_nonzero(~same[:, probes].any(axis=1)))
    return missed, total


def evaluate_misses(sketches: Sketches, seed: int) -> dict[str, Any]:
    """Return the row of the miss probability: by formula at the threshold, and as counted."""
    missed, pairs = measure_misses(sketches, seed)
    return {
        "case": "miss",
        **dict.fromkeys(("precision", "recall", "f", "auc")),
        "probes": PROBES,
        "threshold": THRESHOLD_SLOTS,
        "p_miss_at_threshold": miss_probability(PROBES, THRESHOLD_SLOTS),
        "missed_pairs": missed,
        "similar_pairs": pairs,
        "missed_share": missed / pairs if pairs else None,
    }


def evaluate_estimate(sketches: Sketches) -> dict[str, Any]:
    """Return the row of figure 1: the error of the estimate against exact Jaccard, and what theory expects.

    Pairs without any gram in common, and pages too small to fill the slots, say nothing about it.
    """
    places = sorted(place for place, grams in sketches.grams.items() if len(grams) >= LEAST_GRAMS)
    errors, variances = [], []
    for at, one in enumerate(places):
        for other in places[at + 1 :]:
            same = (sketches.values[one] == sketches.values[other]) & (sketches.values[one] != sketches.empty)
            if not same.any():
                continue
            exact = exact_jaccard(sketches.grams[one], sketches.grams[other])
            errors.append(float(np.count_nonzero(same)) / SLOTS - exact)
            variances.append(exact * (1 - exact) / SLOTS)
    return {
        "case": "estimate",
        **dict.fromkeys(("precision", "recall", "f", "auc")),
        "pairs": len(errors),
        "rmse": float(np.sqrt(np.mean(np.square(errors)))) if errors else None,
        "expected_rmse": float(np.sqrt(np.mean(variances))) if errors else None,
        "mean_error": float(np.mean(errors)) if errors else None,
    }
