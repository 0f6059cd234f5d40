"""Find the style cluster a sketch belongs to, the way pages are placed, without placing anything.

Reads the index, representatives and cluster records; writes nothing.
"""

from dataclasses import dataclass

from hss_stream.signals.page_scan import PageScan
from hss_stream.steps.candidates import KeptRepresentatives, SketchedPage, look_up
from hss_stream.steps.look_up_cluster import FoundCluster, look_up_cluster
from hss_stream.steps.scan_page import probe_words
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.verdicts.cluster_id import STYLE
from hss_stream.verdicts.cluster_rules import ClusterRules


@dataclass(frozen=True)
class StyleMatch:
    """The cluster of the representative that matches best, and on how many slots of 128."""

    cluster: FoundCluster
    matching_slots: int


class LookUpStyle:
    """The step; one for a process, because representatives never change and are kept."""

    def __init__(self, store: ClusterStore, rules: ClusterRules) -> None:
        self.store = store
        self.rules = rules
        self._kept = KeptRepresentatives()

    async def __call__(self, scan: PageScan) -> StyleMatch | None:
        """Return the cluster a page with this scan would join; None when it would open one."""
        if scan.style.is_degenerate:
            return None
        sketch = scan.style.to_bytes()
        page = SketchedPage(0, 0, 0, sketch, probe_words(scan.style, sketch))
        view = await look_up(self.store, self._kept, self.rules, 0, [page])
        # The closest first; among equals the oldest representative, as when pages are placed.
        for candidate in sorted(view.pages[0].candidates, key=lambda one: (-one.slots, one.representative)):
            owner = view.owners[candidate.representative]
            cluster = await look_up_cluster(self.store, self.rules, STYLE, owner)
            if cluster is not None:
                return StyleMatch(cluster, candidate.slots)
        return None
