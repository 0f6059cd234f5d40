"""Look a cluster up: its record along its merges, and as the evidence that verdicts judge.

Reads cluster records and the prototype's URL; writes nothing.
"""

from dataclasses import dataclass

from hss_stream.steps.page_events import readable
from hss_stream.steps.page_verdict import AllowLists, label_name
from hss_stream.store.cluster_store import ClusterReads
from hss_stream.store.records import ClusterRecord
from hss_stream.verdicts.cluster_class import (
    ALIKE_PARTS,
    ALL_PARTS,
    CLASS_NAMES,
    INWARD_LINKS,
    JUDGED_PAGES,
    KNOWN_LINKS,
    mean_similarity,
)
from hss_stream.verdicts.cluster_id import shard_of, to_text
from hss_stream.verdicts.cluster_rules import ClusterRules, is_alive
from hss_stream.verdicts.evidence import Label, StyleCluster
from hss_stream.verdicts.fake_sums import FakeSums

# Merges fold younger clusters into older ones, so a longer chain than this is a damaged store.
MAX_MERGES = 64


@dataclass(frozen=True)
class FoundCluster:
    """A living cluster: the survivor where the one asked for was merged."""

    space: str
    identity: int
    record: ClusterRecord
    prototype: str

    @property
    def name(self) -> str:
        """The id as users see it."""
        return to_text(self.space, self.identity)

    @property
    def label(self) -> Label:
        """The label in force."""
        return label_name(self.record.label)

    @property
    def mean_similarity(self) -> float:
        """The mean share of matching slots of its pages, in [0, 1]."""
        return mean_similarity(self.record.similarity_sum, self.record.pages)

    def to_evidence(self, lists: AllowLists | None = None) -> StyleCluster:
        """Return the cluster as verdicts see it."""
        record = self.record
        sums = record.sums
        return StyleCluster(
            cluster=self.name,
            pages=record.pages,
            domains=record.domains,
            mean_similarity=self.mean_similarity,
            kind=CLASS_NAMES[record.kind],
            label=self.label,
            inward_links=sums[INWARD_LINKS],
            known_links=sums[KNOWN_LINKS],
            alike_parts=sums[ALIKE_PARTS],
            all_parts=sums[ALL_PARTS],
            fake=FakeSums(*sums[JUDGED_PAGES : JUDGED_PAGES + 3]),
            prototype=self.prototype,
            allow_listed=lists is not None and self.name in lists.clusters,
        )


async def look_up_cluster(
    store: ClusterReads, rules: ClusterRules, space: str, identity: int
) -> FoundCluster | None:
    """Return the living cluster an id leads to; None when there is none (any more)."""
    if shard_of(identity) >= store.shards:
        return None
    for _ in range(MAX_MERGES):
        record = (await store.read_clusters(space, [identity]))[0]
        if record is None:
            return None
        if not record.into:
            break
        identity = record.into
    else:
        return None
    clocks = await store.read_clocks()
    if not is_alive(record.last, clocks[shard_of(identity)], rules.lifetime_seconds):
        return None
    prototype = (await store.read_representatives([identity]))[0]
    return FoundCluster(space, identity, record, (readable(prototype.url) or "") if prototype else "")
