"""The store in memory: the twin of the Redis store, for tests, demos and small replays.

It keeps the same promises through the same decisions; nothing survives the process.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from copy import deepcopy

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.probes import PROBE_SLOTS
from hss_stream.store.cluster_store import (
    BucketHits,
    ClusterHistory,
    DeadCluster,
    ExpiredCluster,
    PinnedBlock,
    Pins,
)
from hss_stream.store.effects import Drained, Effect, Joined, Linked
from hss_stream.store.failures import StoreWentBackError
from hss_stream.store.layout import WHEEL_SECONDS
from hss_stream.store.records import ClusterRecord, DomainRecord, HostHead, RepresentativeRecord
from hss_stream.store.shard_state import ShardState
from hss_stream.verdicts.batch_view import ClusterHead
from hss_stream.verdicts.cluster_class import ClassLimits
from hss_stream.verdicts.cluster_id import shard_of
from hss_stream.verdicts.cluster_rules import ClusterRules, is_alive


class MemoryClusterStore:
    """A ClusterStore whose shards are Python objects."""

    def __init__(
        self, rules: ClusterRules | None = None, limits: ClassLimits | None = None, shards: int = 16
    ) -> None:
        self.shards = shards
        self.rules = rules or ClusterRules()
        self.states = [ShardState(self.rules, limits or ClassLimits()) for _ in range(shards)]
        self.sources: dict[tuple[str, str, int, str], int] = {}
        self.runs = 0
        self.pins: dict[int, Pins] = {}

    async def open(self) -> None:
        """Do nothing: it is always there."""

    async def close(self) -> None:
        """Do nothing: it stays until forgotten."""

    async def source_number(self, group: str, topic: str, partition: int, incarnation: str = "") -> int:
        """Return the number of a source."""
        return self.sources.setdefault((group, topic, partition, incarnation), len(self.sources) + 1)

    async def new_run(self) -> int:
        """Return the next number for a replay run."""
        self.runs += 1
        return self.runs

    async def last_run(self) -> int:
        """Return the number of the last replay run."""
        return self.runs

    async def read_buckets(self, words: NDArray[np.uint32], first_probe: int) -> BucketHits:
        """Look words up in the index."""
        rows: list[int] = []
        found: list[int] = []
        entries = np.zeros(words.shape, np.int64)
        sizes = np.zeros(words.shape, np.int64)
        for row, line in enumerate(words.tolist()):
            for column, word in enumerate(line):
                low, high = word & 0xFFFF, word >> 16
                bucket = self.states[low % self.shards].buckets.get((first_probe + column, low), [])
                if not word or not bucket:
                    continue
                same = [representative for entry, representative in bucket if entry == high]
                rows += [row] * len(same)
                found += same
                entries[row, column] = len(same)
                sizes[row, column] = 10 * len(bucket)
        return BucketHits(np.array(rows, np.int64), np.array(found, np.uint64), entries, sizes)

    async def read_representatives(self, identities: Sequence[int]) -> list[RepresentativeRecord | None]:
        """Return representatives."""
        return [self.states[shard_of(name)].representatives.get(name) for name in identities]

    async def read_clusters(self, space: str, clusters: Sequence[int]) -> list[ClusterRecord | None]:
        """Return the records of clusters."""
        return [deepcopy(self.states[shard_of(name)].clusters.get((space, name))) for name in clusters]

    async def read_history(self, space: str, cluster: int) -> ClusterHistory:
        """Return who said what about a cluster, and which it took over."""
        state, name = self.states[shard_of(cluster)], (space, cluster)
        merged = sorted(other for target, other in state.taken if target == name)
        return ClusterHistory(list(state.said.get(name, [])), merged)

    async def read_heads(self, space: str, clusters: Sequence[int]) -> list[ClusterHead | None]:
        """Return what decisions need of clusters."""
        records = [self.states[shard_of(name)].clusters.get((space, name)) for name in clusters]
        return [
            None if one is None else ClusterHead(one.into, one.last, dict(one.further)) for one in records
        ]

    async def read_domains(self, domains: Sequence[int]) -> list[DomainRecord | None]:
        """Return the records of domains."""
        return [deepcopy(self.states[domain % self.shards].domains.get(domain)) for domain in domains]

    async def read_hosts(self, domains: Sequence[int]) -> dict[int, HostHead]:
        """Return what decisions need of those domains that are known."""
        known = zip(domains, await self.read_domains(domains), strict=True)
        return {
            domain: HostHead(one.latest, one.last, (one.sums[0], one.sums[1], one.sums[2]))
            for domain, one in known
            if one is not None
        }

    async def read_clocks(self) -> list[int]:
        """Return the clock of each shard."""
        return [state.clock for state in self.states]

    async def load_pins(self, source: int) -> Pins:
        """Return what is pinned of a source."""
        fence, blocks = self.pins.get(source, Pins(-1, []))
        return Pins(fence, list(blocks))

    async def pin(self, source: int, after: int, first: int, last: int, blob: bytes) -> Pins | None:
        """Pin decisions, unless somebody has."""
        fence, blocks = self.pins.get(source, Pins(-1, []))
        if fence < after:
            raise StoreWentBackError(source, fence, after)
        if first <= fence:
            return Pins(fence, list(blocks))
        self.pins[source] = Pins(last, [*blocks, PinnedBlock(first, last, blob)])
        return None

    async def apply(
        self, source: int, effects: Mapping[int, Sequence[Effect]]
    ) -> dict[tuple[str, int], Joined]:
        """Apply effects, shard by shard."""
        results: dict[tuple[str, int], Joined] = {}
        for shard, some in effects.items():
            results |= self.states[shard].apply(source, some)
        return results

    async def link(self, source: int, offset: int, space: str, merged: int, into: int) -> Linked:
        """Fold a cluster into an older one."""
        return self.states[shard_of(merged)].link(source, offset, space, merged, into)

    async def drain(self, space: str, merged: int) -> Drained | None:
        """Set the counts of a merged cluster aside."""
        return self.states[shard_of(merged)].drain(space, merged)

    async def take(
        self, space: str, merged: int, drained: Drained, note: tuple[int, int] | None = None
    ) -> Joined:
        """Add drained counts to the survivor, once."""
        pending = self.states[shard_of(merged)].pending.get((space, merged))
        aside = None
        if drained.payload and pending is not None and pending[0] == drained.sequence:
            aside = (deepcopy(pending[1]), deepcopy(pending[2]), pending[3])
        return self.states[shard_of(drained.into)].take(space, merged, drained, aside, note)

    async def acknowledge(self, space: str, merged: int, sequence: int) -> None:
        """Forget counts set aside."""
        pending = self.states[shard_of(merged)].pending
        if (space, merged) in pending and pending[space, merged][0] == sequence:
            del pending[space, merged]

    async def trim(self, source: int, committed: int) -> None:
        """Forget pins and results below an offset."""
        fence, blocks = self.pins.get(source, Pins(-1, []))
        self.pins[source] = Pins(fence, [block for block in blocks if block.last >= committed])
        for state in self.states:
            kept = {key: value for key, value in state.outbox[source].items() if key[3] >= committed}
            state.outbox[source] = kept

    async def find_dead(self, shard: int, limit: int) -> list[DeadCluster]:
        """Return dead clusters of the oldest hours, moving those used since to their new hour."""
        state = self.states[shard]
        self._forget_domains(state)
        dead: list[DeadCluster] = []
        for hour in sorted(hour for hour in state.wheel if (hour + 1) * WHEEL_SECONDS <= state.clock):
            for space, cluster in list(state.wheel[hour]):
                record = state.clusters[space, cluster]
                if is_alive(record.last, state.clock, self.rules.lifetime_seconds):
                    state.wheel[hour].remove((space, cluster))
                    due = record.last + self.rules.lifetime_seconds
                    state.wheel[state.slot_of(due)].append((space, cluster))
                elif len(dead) < limit:
                    known = [name for name in (cluster, *record.further) if name in state.representatives]
                    sketches = [(name, state.representatives[name].sketch) for name in known]
                    dead.append(DeadCluster(space, cluster, record.into, sketches))
            if not state.wheel[hour]:
                del state.wheel[hour]
        return dead

    def _forget_domains(self, state: ShardState) -> None:
        lifetime = self.rules.domain_lifetime_seconds
        for hour in sorted(hour for hour in state.domain_wheel if (hour + 1) * WHEEL_SECONDS <= state.clock):
            for domain in state.domain_wheel.pop(hour):
                last = state.domains[domain].last
                if is_alive(last, state.clock, lifetime):
                    state.domain_wheel[state.slot_of(last + lifetime)].append(domain)
                else:
                    del state.domains[domain]

    async def unindex(self, representatives: Sequence[tuple[int, bytes]]) -> None:
        """Remove representatives from the index."""
        for name, sketch in representatives:
            for probe, low in enumerate(np.frombuffer(sketch, ">u2")[PROBE_SLOTS].tolist()):
                self.states[low % self.shards].index_remove(probe, low, name)

    async def bury(self, shard: int, dead: Sequence[tuple[str, int]]) -> int:
        """Remove clusters that are dead, and note each for its event."""
        state = self.states[shard]
        buried = 0
        for name in dead:
            record = state.clusters.get(name)
            if record is None or is_alive(record.last, state.clock, self.rules.lifetime_seconds):
                continue
            prototype = state.prototype(name[1])
            for representative in (name[1], *record.further):
                state.representatives.pop(representative, None)
            del state.clusters[name]
            state.many_domains.pop(name, None)
            state.pending.pop(name, None)
            state.labels.pop(name, None)
            state.said.pop(name, None)
            state.taken = {key: value for key, value in state.taken.items() if key[0] != name}
            for hour in [hour for hour, names in state.wheel.items() if name in names]:
                state.wheel[hour].remove(name)
                if not state.wheel[hour]:
                    del state.wheel[hour]
            due = record.last + self.rules.lifetime_seconds
            state.expired.append(ExpiredCluster(*name, due, record, prototype))
            buried += 1
        return buried

    async def read_expired(self, shard: int, limit: int) -> list[ExpiredCluster]:
        """Return noted burials."""
        return self.states[shard].expired[:limit]

    async def forget_expired(self, shard: int, events: int) -> None:
        """Forget the oldest noted burials."""
        del self.states[shard].expired[:events]

    async def list_clusters(self, space: str) -> AsyncIterator[tuple[int, ClusterRecord]]:
        """Yield every cluster of a space."""
        for state in self.states:
            for (kind, cluster), record in list(state.clusters.items()):
                if kind == space:
                    yield cluster, deepcopy(record)
