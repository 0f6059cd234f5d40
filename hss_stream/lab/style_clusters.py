"""Clusters by style in one batch: procedure 2 of the 2006 paper.

Random k-subsets of the slots are probed; pages with equal values there are compared, and those that agree
on at least `threshold` slots are joined; clusters are the connected components. The paper writes `> t` in
the procedure and "at least 35" in the text; the text is right. Pages already connected need no further
comparison, which changes no component and keeps large clusters cheap.
"""

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.probes import PROBES, draw_probes
from hss_stream.verdicts.style_match import THRESHOLD_SLOTS


def cluster_styles(
    values: NDArray[np.unsignedinteger],
    empty: int,
    *,
    threshold: int = THRESHOLD_SLOTS,
    probes: int = PROBES,
    size: int = 1,
) -> NDArray[np.int64]:
    """Return the cluster of each page, named by its first page; `values` is pages x slots.

    Slots that hold `empty` never match. The result does not depend on the order in which pairs are met.
    """
    pages, slots = values.shape
    filled = values != values.dtype.type(empty)
    clusters = np.arange(pages, dtype=np.int64)
    for probe in draw_probes(probes, size=size, slots=slots):
        keys = values[:, probe]
        order = np.lexsort(keys.T)
        order = order[filled[order][:, probe].all(axis=1)]
        borders = np.flatnonzero((keys[order[1:]] != keys[order[:-1]]).any(axis=1)) + 1
        for bucket in np.split(order, borders):
            if len(bucket) > 1:
                _join_bucket(bucket, values, filled, clusters, threshold)
    return clusters


def _join_bucket(
    bucket: NDArray[np.int64],
    values: NDArray[np.unsignedinteger],
    filled: NDArray[np.bool_],
    clusters: NDArray[np.int64],
    threshold: int,
) -> None:
    """Join the pages of one bucket that agree on enough slots; relabels `clusters` in place."""
    for place, page in enumerate(bucket[:-1].tolist()):
        others = bucket[place + 1 :]
        others = others[clusters[others] != clusters[page]]
        if not len(others):
            continue
        matching = np.count_nonzero((values[others] == values[page]) & filled[others], axis=1)
        for other in others[matching >= threshold].tolist():
            low, high = sorted((clusters[page], clusters[other]))
            if low != high:
                clusters[clusters == high] = low
