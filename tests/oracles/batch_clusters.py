"""Procedure 2 of the HSS paper in batch: components of pages that match, and agreement of results."""

from collections import Counter

import numpy as np

from hss_stream.verdicts.style_match import matching_slots_many


def batch_clusters(sketches: np.ndarray, threshold: int = 35) -> list[int]:
    """Return for each sketch (n x 128, bytes as stored) the number of its component."""
    parent = list(range(len(sketches)))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    for number in range(1, len(sketches)):
        slots = matching_slots_many(sketches[number].tobytes(), sketches[:number])
        for other in np.flatnonzero(slots >= threshold).tolist():
            parent[root(number)] = root(other)
    return [root(number) for number in range(len(sketches))]


def adjusted_rand_index(one: list, two: list) -> float:
    """Return the agreement of two partitions, corrected for chance: 1 is equal, 0 is chance."""

    def pairs(counts) -> float:
        return sum(count * (count - 1) / 2 for count in counts)

    both, first, second = (
        pairs(Counter(zip(one, two, strict=True)).values()),
        pairs(Counter(one).values()),
        pairs(Counter(two).values()),
    )
    expected = first * second / (len(one) * (len(one) - 1) / 2)
    middle = (first + second) / 2
    return 1.0 if middle == expected else (both - expected) / (middle - expected)
