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
from hss_stream.lab.style_clusters import PROBES, cluster_styles, probed_slots
from hss_stream.signals.page_scan import scan_page
from hss_stream.signals.style_sketch import EMPTY_SLOT, SLOTS
from hss_stream.sources.record import SourceRecord
from hss_stream.verdicts.style_match import THRESHOLD_SLOTS, sketch_rows

Setting = Literal["paper", "default"]

# All pairs of this many pages are compared where every pair is needed.
SAMPLED_PAGES = 2000


@dataclass(frozen=True, slots=True)
class Sketches:
    """The sketches of all pages of a source, a row a page; slots that hold `empty` never match."""

    urls: list[str]
    values: NDArray[np.unsignedinteger]
    empty: int


def sketch_pages(records: Iterable[SourceRecord], setting: Setting) -> Sketches:
    """Return the sketches of the pages among the records, in order."""
    urls: list[str] = []
    rows: list[bytes] = []
    for record in records:
        if record.kind == "page":
            scan = scan_page(record.body, record.content_type)
            urls.append(record.url)
            rows.append(scan.paper_style.values.tobytes() if setting == "paper" else scan.style.to_bytes())
    joined = b"".join(rows)
    if setting == "paper":
        return Sketches(urls, np.frombuffer(joined, np.uint64).reshape(-1, SLOTS), EMPTY_SLOT)
    return Sketches(urls, sketch_rows(joined), 0)


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
    probes = probed_slots(SLOTS, PROBES)
    missed = total = 0
    for same in similar_pairs(sketches.values[rows], sketches.empty):
        total += len(same)
        missed += int(np.count_nonzero(~same[:, probes].any(axis=1)))
    return missed, total
