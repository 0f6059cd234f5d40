"""How a page is built, seen through its tags alone (Geraci, WWW 2015 Companion).

A page is the sequence of its tag names, start and end tags, without attributes. Three distances in [0, 1]:

    D = 1 - LCS(a, b) / max(n, m)            alignment with match = 1 and everything else 0
    F = 1 - sum of min(fa[l], fb[l]) / max   f counts tags by length of name, 11 bins, the last for longer
    R = 1 - min(n, m) / max(n, m)

R ≤ F ≤ D always: the paper calls R and F upper bounds, but they are lower bounds of D (they overestimate
the matches). So R and F can prove two pages far apart, and D alone can prove them near. The paper's cascade
stops at the first of R, F, D above a threshold and takes that value for the distance, which pulls far
pages together; the lossless cascade uses R and F only to skip a D that could not matter.

The alignment score with these weights is the longest common subsequence, which RapidFuzz computes 64 cells
at a time. It is several times faster on text than on arrays, so a page's tags are kept as text, one
character a tag.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cdist

LENGTH_BINS = 11
# The paper's threshold; it prints 2.5, but distances end at 1.
PAPER_THRESHOLD = 0.25
# Providers compare longer pages by their beginning: an alignment costs the product of both lengths.
MOST_TAGS = 4096

# (longer - LCS) / longer, and 0 for two empty texts. R and F divide the same way: rounding keeps their order.
_align = LCSseq.normalized_distance

LastFunction = Literal["R", "F", "D"]


@dataclass(frozen=True, slots=True)
class TagStructure:
    """The tags of a page as text, one character a tag, and how many of them have names of each length."""

    tags: str
    lengths: tuple[int, ...]

    def __len__(self) -> int:
        """Return the number of tags."""
        return len(self.tags)


@dataclass(frozen=True, slots=True)
class Distance:
    """A distance found by a cascade, and the last function that was needed to find it."""

    value: float
    last: LastFunction


def tag_structure(tags: NDArray[np.uint16], tag_lengths: NDArray[np.int64]) -> TagStructure:
    """Return the structure of a page from what the scanner gives; tag numbers stay below 0xD800."""
    text = tags.astype("<u2").tobytes().decode("utf-16-le")
    return TagStructure(text, tuple(tag_lengths.tolist()))


def shortened(structure: TagStructure) -> TagStructure:
    """Return the beginning of a long structure; its counts by length stay, and F stays a lower bound of D."""
    if len(structure) <= MOST_TAGS:
        return structure
    return TagStructure(structure.tags[:MOST_TAGS], structure.lengths)


def rough_distance(a: TagStructure, b: TagStructure) -> float:
    """Return R: how much the lengths of two pages differ; 0 for two pages without tags."""
    n, m = len(a.tags), len(b.tags)
    longer = max(n, m)
    return (longer - min(n, m)) / longer if longer else 0.0


def length_distance(a: TagStructure, b: TagStructure) -> float:
    """Return F: how much the histograms of tag-name lengths of two pages differ."""
    longer = max(len(a.tags), len(b.tags))
    return (longer - sum(map(min, a.lengths, b.lengths))) / longer if longer else 0.0


def tag_distance(a: TagStructure, b: TagStructure) -> float:
    """Return D: the share of the longer page that the best alignment leaves unmatched."""
    return _align(a.tags, b.tags)


def cascade_distance(a: TagStructure, b: TagStructure, threshold: float = PAPER_THRESHOLD) -> Distance:
    """Return the paper's distance: the first of R, F and D above the threshold, or else D."""
    rough = rough_distance(a, b)
    if rough > threshold:
        return Distance(rough, "R")
    by_length = length_distance(a, b)
    if by_length > threshold:
        return Distance(by_length, "F")
    return Distance(tag_distance(a, b), "D")


def distance_below(a: TagStructure, b: TagStructure, limit: float) -> Distance:
    """Return exact D where it is below the limit, else some lower bound of D that is not below it.

    The lossless cascade: whoever asks "is it nearer than `limit`, and how near?" gets D's own answer.
    """
    rough = rough_distance(a, b)
    if rough >= limit:
        return Distance(rough, "R")
    by_length = length_distance(a, b)
    if by_length >= limit:
        return Distance(by_length, "F")
    longer = max(len(a.tags), len(b.tags))
    if not longer:
        return Distance(0.0, "D")
    # One match less than needed, so that rounding cannot lose a pair; RapidFuzz answers 0 below it.
    cutoff = max(int((1.0 - limit) * longer) - 1, 0)
    matches = LCSseq.similarity(a.tags, b.tags, score_cutoff=cutoff)
    return Distance((longer - matches) / longer if matches >= cutoff else limit, "D")


class StructureTable:
    """Many pages side by side, so that R and F of one page to all are two array expressions."""

    def __init__(self, structures: Sequence[TagStructure]) -> None:
        self.structures = list(structures)
        self.counts = np.array([len(page) for page in self.structures], np.int64)
        self.lengths = np.array([page.lengths for page in self.structures], np.int64).reshape(-1, LENGTH_BINS)

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self.structures)

    def rough_distances(self, page: int, others: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return R between a page and each of the others, all given by their place."""
        return self._unmatched(page, others, np.minimum(self.counts[others], self.counts[page]))

    def length_distances(self, page: int, others: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return F between a page and each of the others."""
        common = np.minimum(self.lengths[others], self.lengths[page]).sum(axis=1)
        return self._unmatched(page, others, common)

    def tag_distances(self, page: int, others: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return D between a page and each of the others."""
        texts = [self.structures[other].tags for other in others.tolist()]
        own = self.structures[page].tags
        # One call for all prepares our page once, which more than halves the time on short pages.
        matches = cdist([own], texts, scorer=LCSseq.similarity, dtype=np.int64)[0]
        return self._unmatched(page, others, matches)

    def _unmatched(
        self, page: int, others: NDArray[np.int64], matches: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the share of the longer page without a match; 0 where neither has tags."""
        longer = np.maximum(self.counts[others], self.counts[page])
        distances: NDArray[np.float64] = (longer - matches) / np.maximum(longer, 1)
        return distances
