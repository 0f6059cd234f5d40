"""Find the cluster of one space that a document belongs to, as when it is placed, without placing it.

Reads the index, representatives and cluster records of that space; writes nothing.
"""

from dataclasses import dataclass

from hss_stream.steps.candidates import KeptRepresentatives, SketchedPage
from hss_stream.steps.look_up_cluster import FoundCluster, look_up_cluster
from hss_stream.store.cluster_store import ClusterReads
from hss_stream.verdicts.cluster_rules import ClusterRules
from hss_stream.verdicts.style_match import matching_slots_many


@dataclass(frozen=True)
class SpaceMatch:
    """The cluster of the representative that matches best, and on how many slots of 128."""

    cluster: FoundCluster
    matching_slots: int


class LookUpSpace:
    """The step; one for a process and space, because representatives never change and are kept."""

    def __init__(self, store: ClusterReads, rules: ClusterRules, space: str) -> None:
        self.store = store
        self.rules = rules
        self.space = space
        self._kept = KeptRepresentatives()

    async def __call__(self, document: SketchedPage) -> SpaceMatch | None:
        """Return the cluster a document would join; None when it would open one or is too small for any."""
        if document.excluded is not None:
            return None
        # All probes at once: for one document a second round trip costs more than fourteen more probes.
        hits = await self.store.read_buckets(document.words.reshape(1, -1), 0)
        names = list(dict.fromkeys(hits.representatives.tolist()))
        if not names:
            return None
        await self._kept.load(self.store, names)
        names = [name for name in names if name in self._kept.rows]
        rows = self._kept.sketches[[self._kept.rows[name] for name in names]]
        counted = zip(matching_slots_many(document.sketch, rows).tolist(), names, strict=True)
        # The closest first; among equals the oldest representative, as when pages are placed.
        for slots, name in sorted(counted, key=lambda one: (-one[0], one[1])):
            if slots < self.rules.threshold:
                return None
            cluster = await self.cluster(self._kept.records[name].owner)
            if cluster is not None:
                return SpaceMatch(cluster, slots)
        return None

    async def cluster(self, identity: int) -> FoundCluster | None:
        """Return a living cluster of this space, along its merges."""
        return await look_up_cluster(self.store, self.rules, self.space, identity)


async def look_in(space: LookUpSpace | None, document: SketchedPage | None) -> SpaceMatch | None:
    """Return the cluster of a document in a space; None where there is no such space or document."""
    return None if space is None or document is None else await space(document)
