"""Clusters by style in one batch: procedure 2 of the 2006 paper.

Random slots are probed; pages with equal values there are compared, and those that agree on at least
`threshold` slots are joined; clusters are the connected components. The paper writes `> t` in the procedure
and "at least 35" in the text; the text is right. Pages already connected need no further comparison, which
changes no component and keeps large clusters cheap.
"""

import numpy as np
from numpy.typing import NDArray

from hss_stream.verdicts.style_match import THRESHOLD_SLOTS

PROBES = 20
# Which slots are probed is a choice of chance made once.
PROBE_SEED = 2006


def probed_slots(slots: int, probes: int, seed: int = PROBE_SEED) -> NDArray[np.int64]:
    """Return the slots that are probed, each once."""
    return np.random.default_rng(seed).permutation(slots)[:probes]


def cluster_styles(
    values: NDArray[np.unsignedinteger],
    empty: int,
    *,
    threshold: int = THRESHOLD_SLOTS,
    probes: int = PROBES,
) -> NDArray[np.int64]:
    """Return the cluster of each page, named by its first page; `values` is pages x slots.

    Slots that hold `empty` never match. The result does not depend on the order in which pairs are met.
    """
    pages, slots = values.shape
    filled = values != values.dtype.type(empty)
    clusters = np.arange(pages, dtype=np.int64)
    for slot in probed_slots(slots, probes).tolist():
        order = np.argsort(values[:, slot], kind="stable")
        order = order[filled[order, slot]]
        borders = np.flatnonzero(np.diff(values[order, slot])) + 1
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
