"""The rules by which a page finds its style cluster: join, represent, open, merge.

All are pure and work on numbers of matching slots (of 128). What is indexed are representatives,
not pages, so each rule also decides how much the index grows.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from hss_stream.verdicts.style_match import THRESHOLD_SLOTS

# Probes looked up first; the others only for pages that these do not place near a representative.
FIRST_PROBES = 6


@dataclass(frozen=True)
class ClusterRules:
    """Every number the placing of pages depends on.

    `near_slots`: a page that joins with fewer matching slots than this becomes a further representative.
    Without it a template whose pages drift is cut into pieces; 48 gives an adjusted Rand index of .99
    to the batch result with a quarter of the pages indexed (docs/algorithms/clusters.md).
    `sure_slots`: see `is_sure`.
    `representatives`: most representatives of one cluster (0: no limit).
    `bridge_slots`, `merge_slots`: see `may_merge`.
    `bucket_entries`: most representatives indexed under one value of one probe: a value that many pages
    share (an empty layout, a crafted page) would otherwise make every look-up read all of them.
    """

    threshold: int = THRESHOLD_SLOTS
    near_slots: int = 48
    sure_slots: int = 96
    representatives: int = 4
    bridge_slots: int = 12
    merge_slots: int = 0
    bucket_entries: int = 32
    bucket_bytes: int = 4000
    lifetime_seconds: int = 30 * 86_400
    domain_lifetime_seconds: int = 90 * 86_400


def is_near(slots: int, rules: ClusterRules) -> bool:
    """Tell whether a match is so close that a further representative is needless."""
    return slots >= rules.near_slots


def is_sure(slots: int, rules: ClusterRules) -> bool:
    """Tell whether a match found by the first probes is so close that the others are needless.

    The others would hardly find a better one, but they find the clusters that this page shows to be
    the same one; at 80 slots too many of those merges were missed.
    """
    return slots >= rules.sure_slots


def may_merge(first: int, second: int, between: int, rules: ClusterRules) -> bool:
    """Tell whether a page that matches two clusters proves that they are one.

    `first` and `second` are its matching slots with a representative of each, `between` those of
    the two representatives with each other. Guards against chains: a page glued together from two
    unrelated templates matches both, yet the two share nothing; one such page would join two
    clusters, and a row of them everything. Pages of one template that each lost other slots still
    share some: at least `bridge_slots`. Text clusters have nothing between them, because one equal coordinate
    would have joined them; there the page itself must match both on `merge_slots`.
    """
    least = max(rules.threshold, rules.merge_slots)
    return first >= least and second >= least and between >= rules.bridge_slots


def may_represent(further: Mapping[int, int], rules: ClusterRules) -> tuple[bool, int | None]:
    """Tell whether a page that joined from afar becomes a representative, and which one gives way to it.

    `further` maps the representatives beside the prototype to the joins each has brought. The prototype
    always stays. At the limit one that never brought a join gives way, the youngest first: a burst of odd
    pages must neither grow the index nor wash out those that proved useful.
    """
    if rules.representatives == 0 or len(further) + 1 < rules.representatives:
        return True, None
    idle = [identity for identity, joins in further.items() if joins == 0]
    return (True, max(idle)) if idle else (False, None)


def survivor(clusters: list[int]) -> int:
    """Return the cluster that the others fold into: the oldest, so that ids seen longest stay valid."""
    return min(clusters)


def is_alive(last: int, clock: int, lifetime_seconds: int) -> bool:
    """Tell whether an entry last used at `last` lives when its shard's clock shows `clock` (seconds)."""
    return last + lifetime_seconds >= clock
