"""One shard of the store in memory: the acts of `scripts/*.lua`, written in Python.

Each method is one atomic act. The contract suite runs on this and on the scripts, and a Hypothesis
state machine compares the two.
"""

from collections import defaultdict
from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING

from hss_stream.store.effects import (
    MAX_SAID,
    MAX_WHO_BYTES,
    Drained,
    Effect,
    IndexAdd,
    IndexRemove,
    Join,
    Joined,
    Linked,
    NoteDomain,
    Represent,
    Said,
    Touch,
    Vote,
)
from hss_stream.store.hyperloglog import HyperLogLog
from hss_stream.store.layout import WHEEL_SECONDS, sample_token
from hss_stream.store.records import (
    MAX_HITS,
    MAX_INLINE_DOMAINS,
    MAX_SAMPLES,
    ClusterRecord,
    DomainRecord,
    RepresentativeRecord,
)
from hss_stream.verdicts.cluster_class import ClassLimits, ClusterCounts, classify, is_class_due
from hss_stream.verdicts.cluster_id import STYLE
from hss_stream.verdicts.cluster_rules import ClusterRules, is_alive
from hss_stream.verdicts.evidence import Label
from hss_stream.verdicts.label import LabelState, LabelVote, apply_vote, merge_states

if TYPE_CHECKING:
    from hss_stream.store.cluster_store import ExpiredCluster

Name = tuple[str, int]
# What a merged cluster hands to its survivor: counts, registers of many domains, label with its quorum.
Aside = tuple[ClusterRecord, HyperLogLog | None, tuple[LabelState, int] | None]
NAMES: tuple[Label, ...] = ("none", "spam", "ham")


class ShardState:
    """All values of one shard."""

    def __init__(self, rules: ClusterRules, limits: ClassLimits) -> None:
        self.rules = rules
        self.limits = limits
        self.clock = 0
        self.clusters: dict[Name, ClusterRecord] = {}
        self.many_domains: dict[Name, HyperLogLog] = {}
        self.representatives: dict[int, RepresentativeRecord] = {}
        self.buckets: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self.domains: dict[int, DomainRecord] = {}
        self.fences: dict[int, int] = {}
        self.outbox: dict[int, dict[tuple[str, str, int, int], Joined | Linked]] = defaultdict(dict)
        self.pending: dict[Name, tuple[int, *Aside]] = {}
        self.labels: dict[Name, tuple[LabelState, int]] = {}
        self.said: dict[Name, list[Said]] = {}
        self.taken: dict[tuple[Name, int], int] = {}
        self.wheel: dict[int, list[Name]] = defaultdict(list)
        self.domain_wheel: dict[int, list[int]] = defaultdict(list)
        self.expired: list[ExpiredCluster] = []

    def apply(self, source: int, effects: Sequence[Effect]) -> dict[tuple[str, int], Joined]:
        """Apply the effects past the fence, in order, and move the fence to the last."""
        fence = self.fences.get(source, -1)
        results: dict[tuple[str, int], Joined] = {}
        for effect in effects:
            if effect.offset > fence:
                self.apply_one(source, effect)
            if isinstance(effect, Join | Vote):
                kept = self.outbox[source].get(("J", effect.space, effect.cluster, effect.offset))
                if isinstance(kept, Joined):
                    results[effect.space, effect.offset] = kept
        if effects:
            self.fences[source] = max(fence, effects[-1].offset)
        return results

    def apply_one(self, source: int, effect: Effect) -> None:
        """Apply one effect, whatever the fence."""
        match effect:
            case Join():
                joined = self.join(effect)
                self.outbox[source]["J", effect.space, effect.cluster, effect.offset] = joined
            case Vote():
                self.vote(source, effect)
            case Represent():
                self.represent(effect)
            case Touch():
                self.use(effect.space, effect.cluster, effect.at, effect.hit)
            case NoteDomain():
                self.note_domain(effect)
            case IndexAdd():
                self.index_add(effect)
            case IndexRemove():
                self.index_remove(effect.probe, effect.low, effect.representative)

    def use(self, space: str, cluster: int, at: int, hit: int) -> ClusterRecord:
        """Move the clock, note the use, and return the record, a new one if there is none."""
        self.clock = max(self.clock, at)
        record = self.clusters.get((space, cluster))
        if record is None:
            record = self.clusters[space, cluster] = ClusterRecord(born=self.clock, last=self.clock)
            self.wheel[self.slot_of(self.clock + self.rules.lifetime_seconds)].append((space, cluster))
        record.last = self.clock
        if hit in record.further:
            record.further[hit] = min(record.further[hit] + 1, MAX_HITS)
        return record

    def join(self, effect: Join) -> Joined:
        """Count a page."""
        record = self.use(effect.space, effect.cluster, effect.at, effect.hit)
        record.pages += 1
        record.similarity_sum += effect.slots
        record.sums = [min(one + two, 0xFFFFFFFF) for one, two in zip(record.sums, effect.sums, strict=True)]
        domains = record.domains
        self.count_domains(effect.space, effect.cluster, record, [effect.domain & 0xFFFFFFFF])
        if not effect.opens:
            self.draw_sample(record, effect.url)
        before = record.kind
        if is_class_due(record.pages):
            self.settle_class(effect.space, record)
        record.revision += 1
        prototype = self.prototype(effect.cluster) if before != record.kind else b""
        return self.shown(record, before, prototype, domains)

    def settle_class(self, space: str, record: ClusterRecord) -> None:
        """Work the class out again; only the style space has classes."""
        if space == STYLE:
            counts = ClusterCounts(record.pages, record.domains, record.similarity_sum, tuple(record.sums))
            record.kind = classify(counts, self.limits)

    def prototype(self, cluster: int) -> bytes:
        """Return the URL of a cluster's prototype; empty if that is gone."""
        record = self.representatives.get(cluster)
        return b"" if record is None else record.url

    @staticmethod
    def shown(record: ClusterRecord, before: int, prototype: bytes, domains_before: int) -> Joined:
        """Return what events say of a record."""
        return Joined(
            record.pages, record.domains, record.similarity_sum, record.revision, before, record.kind,
            record.label, record.into, prototype, domains_before, tuple(record.sums), record.label,
        )  # fmt: skip

    def vote(self, source: int, effect: Vote) -> None:
        """Note what somebody says of a cluster, if there is one."""
        name = (effect.space, effect.cluster)
        record = self.clusters.get(name)
        if record is None:
            return
        state, _ = self.labels.get(name, (LabelState(), 0))
        said = LabelVote(NAMES[effect.label], "reporter" if effect.role else "editor", effect.client)
        change = apply_vote(state, said, effect.quorum)
        if change.state != state:
            self.keep_label(name, change.state, effect.quorum)
            record.revision += 1
        record.label = NAMES.index(change.after)
        joined = self.shown(record, record.kind, self.prototype(effect.cluster), record.domains)
        before, changed = NAMES.index(change.before), int(change.state != state)
        if changed or {before, effect.label} == {NAMES.index("spam"), NAMES.index("ham")}:
            word = Said(
                effect.at, effect.label, effect.role, before, record.label, effect.who[:MAX_WHO_BYTES]
            )
            self.said[name] = [*self.said.get(name, []), word][-MAX_SAID:]
        kept = joined._replace(label_before=before, changed=changed)
        self.outbox[source]["J", effect.space, effect.cluster, effect.offset] = kept

    def keep_label(self, name: Name, state: LabelState, quorum: int) -> None:
        """Keep the state of a cluster's label, unless there is nothing to keep."""
        self.labels[name] = (state, quorum)
        if state == LabelState():
            del self.labels[name]

    def count_domains(self, space: str, cluster: int, record: ClusterRecord, domains: Sequence[int]) -> None:
        """Count domains exactly up to 32, then by HyperLogLog."""
        if record.inline is not None:
            for domain in domains:
                if domain not in record.inline:
                    record.inline.append(domain)
            if len(record.inline) <= MAX_INLINE_DOMAINS:
                record.domains = len(record.inline)
                return
            domains = record.inline
            record.inline = None
        registers = self.many_domains.setdefault((space, cluster), HyperLogLog())
        for domain in domains:
            registers.add(domain.to_bytes(4, "little"))
        record.domains = max(MAX_INLINE_DOMAINS + 1, registers.count())

    @staticmethod
    def draw_sample(record: ClusterRecord, url: bytes) -> None:
        """Keep the first URLs, then each with falling chance: a fair sample of the joined pages."""
        if len(record.samples) < MAX_SAMPLES:
            record.samples.append(url)
        elif (place := sample_token(url) % record.pages) < MAX_SAMPLES:
            record.samples[place] = url

    def represent(self, effect: Represent) -> None:
        """Store a representative in place of another."""
        record = self.clusters[effect.space, effect.cluster]
        self.representatives[effect.representative] = RepresentativeRecord(
            effect.cluster, effect.sketch, effect.text, effect.url
        )
        if effect.evicted:
            record.further.pop(effect.evicted, None)
            self.representatives.pop(effect.evicted, None)
        if effect.representative != effect.cluster:
            record.further[effect.representative] = 0

    def note_domain(self, effect: NoteDomain) -> None:
        """Note a page of a domain; a record past its life time starts anew."""
        record = self.domains.get(effect.domain)
        if record is not None and not is_alive(record.last, self.clock, self.rules.domain_lifetime_seconds):
            record = None
        known = effect.domain in self.domains
        self.clock = max(self.clock, effect.at)
        if record is None:
            record = self.domains[effect.domain] = DomainRecord(first=self.clock)
        if not known:
            due = self.clock + self.rules.domain_lifetime_seconds
            self.domain_wheel[self.slot_of(due)].append(effect.domain)
        record.last = self.clock
        record.latest = effect.cluster
        record.pages += 1
        record.sums = tuple(
            min(one + two, 0xFFFFFFFF) for one, two in zip(record.sums, effect.sums, strict=True)
        )

    def index_add(self, effect: IndexAdd) -> None:
        """Add an entry unless it is there or its word has no room."""
        bucket = self.buckets.setdefault((effect.probe, effect.word & 0xFFFF), [])
        high = effect.word >> 16
        same = sum(1 for entry in bucket if entry[0] == high)
        room = same < self.rules.bucket_entries and (len(bucket) + 1) * 10 <= self.rules.bucket_bytes
        if room and (high, effect.representative) not in bucket:
            bucket.append((high, effect.representative))

    def index_remove(self, probe: int, low: int, representative: int) -> None:
        """Remove the entry of a representative."""
        bucket = self.buckets.get((probe, low))
        if bucket is not None:
            bucket[:] = [entry for entry in bucket if entry[1] != representative]
            if not bucket:
                del self.buckets[probe, low]

    def link(self, source: int, offset: int, space: str, merged: int, into: int) -> Linked:
        """Point a cluster to its survivor, unless it points somewhere already."""
        key = ("L", space, merged, offset)
        kept = self.outbox[source].get(key)
        if isinstance(kept, Linked):
            return kept
        record = self.clusters.setdefault((space, merged), ClusterRecord(born=self.clock, last=self.clock))
        if not record.into:
            record.into = into
            record.revision += 1
        linked = Linked(
            record.into, record.pages, record.domains, record.similarity_sum, record.revision, record.kind,
            record.label, self.prototype(merged),
        )  # fmt: skip
        self.outbox[source][key] = linked
        return linked

    def drain(self, space: str, merged: int) -> Drained | None:
        """Set counts aside, once; see the protocol."""
        record = self.clusters.get((space, merged))
        if record is None or not record.into:
            return None
        if (space, merged) not in self.pending:
            if record.pages == 0 and (space, merged) not in self.labels:
                return Drained(record.into, record.drains, b"")
            record.drains += 1
            registers = self.many_domains.pop((space, merged), None)
            label = self.labels.pop((space, merged), None)
            self.pending[space, merged] = (record.drains, deepcopy(record), registers, label)
            record.pages = record.similarity_sum = record.domains = 0
            record.sums = [0] * len(record.sums)
            record.samples = []
            record.inline = []
        return Drained(record.into, self.pending[space, merged][0], b"in memory")

    def take(
        self, space: str, merged: int, drained: Drained, aside: Aside | None, note: tuple[int, int] | None
    ) -> Joined:
        """Add what was set aside, once; see the protocol."""
        target = (space, drained.into)
        if note is not None:
            kept = self.outbox[note[0]].get(("T", space, merged, note[1]))
            if isinstance(kept, Joined) and aside is None:
                return kept
        record = self.clusters.get(target)
        if record is None:
            record = self.use(space, drained.into, 0, 0)
            record.revision = 1
        before, domains, label = record.kind, record.domains, record.label
        if aside is not None and self.taken.get((target, merged), 0) < drained.sequence:
            self.taken[target, merged] = drained.sequence
            self.add_counts(target, record, aside)
        shown = self.shown(record, before, self.prototype(drained.into), domains)
        joined = shown._replace(label_before=label)
        if note is not None:
            source, offset = note
            kept = self.outbox[source].setdefault(("T", space, merged, offset), joined)
            if isinstance(kept, Joined):
                return kept
        return joined

    def add_counts(self, target: Name, record: ClusterRecord, aside: Aside) -> None:
        """Add the counts of a merged cluster to its survivor's."""
        counts, registers, label = aside
        if label is not None:
            ours, quorum = self.labels.get(target, (LabelState(), 0))
            merged, quorum = merge_states(ours, label[0]), max(quorum, label[1])
            self.keep_label(target, merged, quorum)
            record.label = NAMES.index(merged.label(max(quorum, 1)))
        record.pages += counts.pages
        record.similarity_sum += counts.similarity_sum
        record.sums = [min(one + two, 0xFFFFFFFF) for one, two in zip(record.sums, counts.sums, strict=True)]
        record.samples = [*record.samples, *counts.samples][:MAX_SAMPLES]
        if registers is not None:
            own = self.many_domains.setdefault(target, HyperLogLog())
            own.merge(registers)
            inline, record.inline = record.inline or [], None
            self.count_domains(*target, record, inline)
        self.count_domains(*target, record, counts.inline or [])
        self.settle_class(target[0], record)
        record.revision += 1

    @staticmethod
    def slot_of(due: int) -> int:
        """Return the hour of the wheel in which something due then is looked at."""
        return due // WHEEL_SECONDS
