"""Precision and recall of a clustering over pairs of pages.

Precision: of all pairs in one cluster, the share with equal labels. Recall: of all pairs with equal labels,
the share in one cluster. The two may use different labels: where several packages share one generator's
template, joining them is right, so precision goes by the coarse label and recall by the fine one.
"""

from collections import Counter
from collections.abc import Hashable, Sequence


def count_pairs(sizes: Counter[Hashable]) -> int:
    """Return the number of pairs inside groups of these sizes."""
    return sum(size * (size - 1) // 2 for size in sizes.values())


def pair_precision(clusters: Sequence[Hashable], labels: Sequence[Hashable]) -> float | None:
    """Return the share of pairs in one cluster that have one label; None when no two pages are joined."""
    joined = count_pairs(Counter(clusters))
    return count_pairs(Counter(zip(clusters, labels, strict=True))) / joined if joined else None


def pair_recall(clusters: Sequence[Hashable], labels: Sequence[Hashable]) -> float | None:
    """Return the share of pairs with one label that are in one cluster; None when there is no such pair."""
    wanted = count_pairs(Counter(labels))
    return count_pairs(Counter(zip(clusters, labels, strict=True))) / wanted if wanted else None


def f_measure(precision: float | None, recall: float | None) -> float | None:
    """Return the harmonic mean of precision and recall; None when one is unknown."""
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
