"""Near duplicates by the cosine of word sets, and which of them signatures find.

The truth is that of the 2004 paper (section 6.4): two documents are near duplicates where
|common words| / sqrt(|words of one| * |words of the other|) is at least 0.9. All pairs are compared
through an inverted index, so this is for evaluation alone.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import float64, int64, types, uint64
from numpy.typing import NDArray

from hss_stream.signals.imatch import COORDINATES
from hss_stream.signals.kernel import kernel

NEAR_COSINE = 0.9

_INTEGERS_IN = types.Array(int64, 1, "C", readonly=True)
_SIGNATURES_IN = types.Array(uint64, 2, "C", readonly=True)


@dataclass(frozen=True)
class Found:
    """What signatures with 0 to 10 copies find; arrays by number of copies."""

    queries: int  # documents that have a near duplicate
    near_pairs: int
    recall: NDArray[np.float64]  # mean over the queries
    matched_pairs: NDArray[np.int64]
    matched_near: NDArray[np.int64]


@kernel(
    types.void(
        _INTEGERS_IN, _INTEGERS_IN, _INTEGERS_IN, _INTEGERS_IN, _SIGNATURES_IN, float64,
        int64[::1], int64[:, ::1], int64[:, ::1], int64[::1],
    ),
    allocates=False,
)  # fmt: skip
def _compare_all(
    words: Any, bounds: Any, holders: Any, holder_bounds: Any, signatures: Any, least: Any,
    near: Any, hits: Any, matched: Any, common: Any,
) -> None:  # fmt: skip
    """Count near pairs a document, those found with k copies, and all matched pairs, near or not."""
    documents = bounds.size - 1
    for one in range(documents):
        common[:] = 0
        for place in range(bounds[one], bounds[one + 1]):
            word = words[place]
            for holder in range(holder_bounds[word], holder_bounds[word + 1]):
                common[holders[holder]] += 1
        size = bounds[one + 1] - bounds[one]
        for two in range(one + 1, documents):
            is_near = common[two] > 0 and common[two] >= least * np.sqrt(
                size * (bounds[two + 1] - bounds[two])
            )
            first = 0
            while first < COORDINATES and (
                signatures[one, first] == 0 or signatures[one, first] != signatures[two, first]
            ):
                first += 1
            if is_near:
                near[one] += 1
                near[two] += 1
            for copies in range(first, COORDINATES):
                matched[0, copies] += 1
                if is_near:
                    matched[1, copies] += 1
                    hits[one, copies] += 1
                    hits[two, copies] += 1


def find_near_duplicates(word_sets: list[NDArray[np.uint64]], signatures: NDArray[np.uint64]) -> Found:
    """Compare documents, given by their distinct words and their eleven signatures, all with all."""
    documents = len(word_sets)
    every = np.concatenate([*word_sets, np.zeros(0, np.uint64)])
    known, words = np.unique(every, return_inverse=True)
    bounds = np.concatenate([[0], np.cumsum([one.size for one in word_sets])]).astype(np.int64)
    owners = np.repeat(np.arange(documents), np.diff(bounds))
    holders = owners[np.argsort(words, kind="stable")].astype(np.int64)
    holder_bounds = np.concatenate([[0], np.cumsum(np.bincount(words, minlength=known.size))])
    near = np.zeros(documents, np.int64)
    hits = np.zeros((documents, COORDINATES), np.int64)
    matched = np.zeros((2, COORDINATES), np.int64)
    _compare_all(
        words.astype(np.int64), bounds, holders, holder_bounds.astype(np.int64), signatures, NEAR_COSINE,
        near, hits, matched, np.zeros(documents, np.int64),
    )  # fmt: skip
    queries = near > 0
    recall = (hits[queries] / near[queries, None]).mean(axis=0) if queries.any() else np.zeros(COORDINATES)
    return Found(int(queries.sum()), int(near.sum()) // 2, recall, matched[0], matched[1])
