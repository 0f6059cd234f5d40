"""Look a cluster up: its record along its merges, and as the evidence that verdicts judge.

Reads cluster records and the prototype's URL; writes nothing.
"""

from dataclasses import dataclass

from hss_stream.steps.page_events import LABELS, readable
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.store.records import ClusterRecord
from hss_stream.verdicts.cluster_class import (
    ALIKE_PARTS,
    ALL_LINKS,
    ALL_PARTS,
    CLASS_NAMES,
    INWARD_LINKS,
    mean_similarity,
)
from hss_stream.verdicts.cluster_id import STYLE, shard_of, to_text
from hss_stream.verdicts.cluster_rules import ClusterRules, is_alive
from hss_stream.verdicts.evidence import StyleCluster

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
    def label(self) -> str:
        """The label in force."""
        return LABELS[self.record.label] or "none"

    @property
    def mean_similarity(self) -> float:
        """The mean share of matching slots of its pages, in [0, 1]."""
        return mean_similarity(self.record.similarity_sum, self.record.pages)

    def to_evidence(self) -> StyleCluster:
        """Return the cluster as verdicts see it."""
        record = self.record
        sums = record.sums
        return StyleCluster(
            self.name, record.pages, record.domains, self.mean_similarity, CLASS_NAMES[record.kind],
            self.label,  # type: ignore[arg-type] # LABELS holds nothing else
            sums[INWARD_LINKS], sums[ALL_LINKS], sums[ALIKE_PARTS], sums[ALL_PARTS],
            prototype=self.prototype,
        )  # fmt: skip


async def look_up_cluster(
    store: ClusterStore, rules: ClusterRules, space: str, identity: int
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
    prototype = (await store.read_representatives([identity]))[0] if space == STYLE else None
    return FoundCluster(space, identity, record, (readable(prototype.url) or "") if prototype else "")
