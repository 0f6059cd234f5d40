"""Find the cluster of one space that a document belongs to, as when it is placed, without placing it.

Reads the index, representatives and cluster records of that space; writes nothing.
"""

from dataclasses import dataclass

from hss_stream.steps.candidates import KeptRepresentatives, SketchedPage, look_up
from hss_stream.steps.look_up_cluster import FoundCluster, look_up_cluster
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.verdicts.cluster_rules import ClusterRules


@dataclass(frozen=True)
class SpaceMatch:
    """The cluster of the representative that matches best, and on how many slots of 128."""

    cluster: FoundCluster
    matching_slots: int


class LookUpSpace:
    """The step; one for a process and space, because representatives never change and are kept."""

    def __init__(self, store: ClusterStore, rules: ClusterRules, space: str) -> None:
        self.store = store
        self.rules = rules
        self.space = space
        self._kept = KeptRepresentatives()

    async def __call__(self, document: SketchedPage) -> SpaceMatch | None:
        """Return the cluster a document would join; None when it would open one or is too small for any."""
        if document.excluded is not None:
            return None
        view = await look_up(self.store, self._kept, self.rules, 0, [document], self.space)
        # The closest first; among equals the oldest representative, as when pages are placed.
        for candidate in sorted(view.pages[0].candidates, key=lambda one: (-one.slots, one.representative)):
            cluster = await self.cluster(view.owners[candidate.representative])
            if cluster is not None:
                return SpaceMatch(cluster, candidate.slots)
        return None

    async def cluster(self, identity: int) -> FoundCluster | None:
        """Return a living cluster of this space, along its merges."""
        return await look_up_cluster(self.store, self.rules, self.space, identity)


async def look_in(space: LookUpSpace | None, document: SketchedPage | None) -> SpaceMatch | None:
    """Return the cluster of a document in a space; None where there is no such space or document."""
    return None if space is None or document is None else await space(document)
