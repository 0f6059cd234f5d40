"""k-center clusters of tag structures: M-FPF of the 2015 paper.

Furthest point first (Gonzalez 1985): the first page is a centre; again and again the page furthest from its
centre becomes a new one, and pages nearer to it move there. M-FPF keeps each cluster as a list sorted by
distance, so that the furthest page is at its head, and reads a list only down to the first page x with

    D(x, old centre) ≤ ½ D(old centre, new centre)

because by the triangle inequality no later page can move. Since the lists are sorted, which pages are read
is known beforehand, and R and F of all of them are array expressions.

With `lossless` the distances are exact D, and R and F only spare a D that cannot move a page: centres and
clusters are those of plain FPF. Otherwise the paper's cascade is taken to the letter: the first of R, F, D
above `threshold` is the distance. It breaks the triangle inequality, which the paper does not mention.
The paper leaves open which page is the first centre; it is the first page given. Ties go to the earlier page.
"""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.tag_structure import PAPER_THRESHOLD, StructureTable

# Clusters a provider, from figure 2 of the paper: beyond 16 the average radius hardly falls.
CLUSTERS = 16


@dataclass(frozen=True, eq=False)
class KCenter:
    """Centres (places of pages, as they were chosen), each page's cluster and distance to its centre.

    `calls` counts distance calls by the last function needed, as table 1 of the paper does.
    """

    centers: tuple[int, ...]
    clusters: NDArray[np.int64]
    distances: NDArray[np.float64]
    calls: Counter[str] = field(default_factory=Counter)


def cluster_k_center(
    table: StructureTable,
    *,
    clusters: int = CLUSTERS,
    threshold: float = PAPER_THRESHOLD,
    lossless: bool = True,
) -> KCenter:
    """Return at most `clusters` k-center clusters of all pages of a table, by M-FPF."""
    calls: Counter[str] = Counter()
    everyone = np.arange(len(table))
    owners = np.zeros(len(table), np.int64)
    if not len(table):
        return KCenter((), owners, np.zeros(0), calls)
    nobody = np.full(len(table), np.inf)
    distances = _measure(table, 0, everyone, nobody, threshold, calls, lossless=lossless)
    centers = [0]
    while len(centers) < min(clusters, len(table)):
        newest = int(np.argmax(distances))
        if distances[newest] == 0.0:
            break
        apart = _measure(
            table, newest, np.array(centers), nobody[: len(centers)], threshold, calls, lossless=lossless
        )
        read = np.flatnonzero(distances > apart[owners] / 2)
        found = _measure(table, newest, read, distances[read], threshold, calls, lossless=lossless)
        nearer = found < distances[read]
        moved = read[nearer]
        distances[moved] = found[nearer]
        owners[moved] = len(centers)
        distances[newest], owners[newest] = 0.0, len(centers)
        centers.append(newest)
    return KCenter(tuple(centers), owners, distances, calls)


@dataclass(frozen=True, slots=True)
class ClusterShape:
    """How homogeneous a cluster is.

    Radius and means are over the distances of all its pages to the centre, the centre's own 0 among them.
    `mean_uncontained` is over C = (D - R) / (1 - R), the share of the *shorter* page
    without a match: pages of one template whose lists differ in length have a large D and a small C.
    """

    size: int
    radius: float
    mean_distance: float
    mean_uncontained: float
    center: int


def uncontained(table: StructureTable, found: KCenter) -> NDArray[np.float64]:
    """Return C between each page and its centre; meant for exact distances."""
    centers = np.array(found.centers, np.int64)[found.clusters]
    own, other = table.counts, table.counts[centers]
    longer, shorter = np.maximum(own, other), np.maximum(np.minimum(own, other), 1)
    matches = (1.0 - found.distances) * longer
    shares: NDArray[np.float64] = np.clip(1.0 - matches / shorter, 0.0, 1.0)
    return shares


def cluster_shapes(table: StructureTable, found: KCenter) -> list[ClusterShape]:
    """Return the shape of every cluster, in the order of the centres."""
    outside = uncontained(table, found)
    shapes = []
    for cluster, center in enumerate(found.centers):
        members = found.clusters == cluster
        size = int(np.count_nonzero(members))
        shapes.append(
            ClusterShape(
                size=size,
                radius=float(found.distances[members].max()),
                mean_distance=float(found.distances[members].mean()),
                mean_uncontained=float(outside[members].mean()),
                center=center,
            )
        )
    return shapes


def _measure(
    table: StructureTable,
    page: int,
    others: NDArray[np.int64],
    limits: NDArray[np.float64],
    threshold: float,
    calls: Counter[str],
    *,
    lossless: bool,
) -> NDArray[np.float64]:
    """Return distances of one page to others by a cascade; at a limit or beyond, some value not below it."""
    found = table.rough_distances(page, others)
    open_ = np.flatnonzero(found < limits if lossless else found <= threshold)
    calls["R"] += len(others) - len(open_)
    found[open_] = table.length_distances(page, others[open_])
    still = open_[found[open_] < limits[open_] if lossless else found[open_] <= threshold]
    calls["F"] += len(open_) - len(still)
    found[still] = table.tag_distances(page, others[still])
    calls["D"] += len(still)
    return found
