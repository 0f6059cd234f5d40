"""The store in Redis (or Valkey): scripts for every act that writes, plain bulk reads for the rest."""

import struct
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.probes import PROBE_SLOTS
from hss_stream.store.address import StoreAddress
from hss_stream.store.bulk_reads import BucketRead, named_read
from hss_stream.store.cluster_store import (
    BucketHits,
    ClusterHistory,
    DeadCluster,
    ExpiredCluster,
    PinnedBlock,
    Pins,
)
from hss_stream.store.effects import Drained, Effect, Join, Joined, Linked, Vote
from hss_stream.store.failures import StoreBrokenError, StoreWentBackError
from hss_stream.store.packing import pack_effects, unpack_said, unpack_shown
from hss_stream.store.records import (
    CLUSTER,
    HIT,
    ClusterRecord,
    DomainRecord,
    HostHead,
    RepresentativeRecord,
    name,
)
from hss_stream.store.script_calls import ScriptCalls
from hss_stream.store.wire import pack, raise_errors
from hss_stream.verdicts.batch_view import ClusterHead
from hss_stream.verdicts.cluster_class import ClassLimits
from hss_stream.verdicts.cluster_id import shard_of
from hss_stream.verdicts.cluster_rules import ClusterRules

SKETCH_FORMAT = 2
_EXPIRED = struct.Struct("<c8sIB")
# Within a cluster's packed record: time of the last use, survivor, number of further representatives.
_HEAD = struct.Struct("<24xI40x8sB")


class RedisClusterStore(ScriptCalls):
    """A ClusterStore on one server."""

    def __init__(
        self,
        address: StoreAddress,
        rules: ClusterRules | None = None,
        limits: ClassLimits | None = None,
        *,
        prefix: str = "hss",
        shards: int = 16,
        away_seconds: float = 30.0,
    ) -> None:
        super().__init__(address, prefix, shards, away_seconds)
        self.rules = rules or ClusterRules()
        one = self.rules
        self.limits = [b"%d" % number for number in (limits or ClassLimits()).to_numbers()]
        self.lifetime = b"%d" % one.lifetime_seconds
        self.domain_lifetime = b"%d" % one.domain_lifetime_seconds
        self.caps = (b"%d" % one.bucket_entries, b"%d" % one.bucket_bytes)

    async def open(self) -> None:
        """Reach the server, load the scripts, and check what the store was made with."""
        await self._meet({b"sketch": b"%d" % SKETCH_FORMAT})

    async def new_run(self) -> int:
        """Return the next number for a replay run."""
        [number] = await self._call("numbering a run", [pack(b"INCR", self.keys.key(0, "N", b"runs"))])
        return int(number)

    async def last_run(self) -> int:
        """Return the number of the last replay run."""
        [number] = await self._call("reading the last run", [pack(b"GET", self.keys.key(0, "N", b"runs"))])
        return int(number or 0)

    async def read_buckets(self, words: NDArray[np.uint32], first_probe: int) -> BucketHits:
        """Look words up in the index."""
        bulk = BucketRead(self.keys, words, first_probe)
        answers = await self.wire.call("looking pages up", bulk.read.payload, bulk.read.answers)
        raise_errors("looking pages up", answers)
        return bulk.hits(answers)

    async def _read_named(
        self, doing: str, letter: str, names: Sequence[int], *, by_domain: bool = False
    ) -> list[tuple[int, bytes]]:
        """Return the place in `names` and the value of each that there is."""
        bulk = named_read(self.keys, letter, names, by_domain=by_domain)
        answers = await self.wire.call(doing, bulk.payload, bulk.answers)
        raise_errors(doing, answers)
        pairs = zip(bulk.order.tolist(), bulk.values(answers), strict=True)
        return [(place, value) for place, value in pairs if value]

    async def read_representatives(self, identities: Sequence[int]) -> list[RepresentativeRecord | None]:
        """Return representatives."""
        records: list[RepresentativeRecord | None] = [None] * len(identities)
        for place, value in await self._read_named("reading representatives", "r", identities):
            records[place] = RepresentativeRecord.unpack(value)
        return records

    async def read_clusters(self, space: str, clusters: Sequence[int]) -> list[ClusterRecord | None]:
        """Return the records of clusters."""
        records: list[ClusterRecord | None] = [None] * len(clusters)
        for place, value in await self._read_named("reading clusters", space, clusters):
            records[place] = ClusterRecord.unpack(value)
        return records

    async def read_history(self, space: str, cluster: int) -> ClusterHistory:
        """Return who said what about a cluster, and which it took over."""
        shard, rest = shard_of(cluster), space.encode() + name(cluster)
        said, merged = await self._call(
            "reading a history",
            [
                pack(b"LRANGE", self.keys.key(shard, "y", rest), b"0", b"-1"),
                pack(b"HKEYS", self.keys.key(shard, "k", rest)),
            ],
        )
        names = sorted(int.from_bytes(one, "big") for one in merged)
        return ClusterHistory([unpack_said(one) for one in said], names)

    async def read_heads(self, space: str, clusters: Sequence[int]) -> list[ClusterHead | None]:
        """Return what decisions need of clusters."""
        heads: list[ClusterHead | None] = [None] * len(clusters)
        for place, packed in await self._read_named("reading clusters", space, clusters):
            last, into, count = _HEAD.unpack_from(packed)
            further = packed[CLUSTER.size : CLUSTER.size + HIT.size * count]
            hits = {int.from_bytes(one, "big"): number for one, number in HIT.iter_unpack(further)}
            heads[place] = ClusterHead(int.from_bytes(into, "big"), last, hits)
        return heads

    async def read_domains(self, domains: Sequence[int]) -> list[DomainRecord | None]:
        """Return the records of domains."""
        records: list[DomainRecord | None] = [None] * len(domains)
        for place, value in await self._read_named("reading domains", "d", domains, by_domain=True):
            records[place] = DomainRecord.unpack(value)
        return records

    async def read_hosts(self, domains: Sequence[int]) -> dict[int, HostHead]:
        """Return what decisions need of those domains that are known."""
        found = await self._read_named("reading domains", "d", domains, by_domain=True)
        return {domains[place]: HostHead.unpack(value) for place, value in found}

    async def read_clocks(self) -> list[int]:
        """Return the clock of each shard."""
        answers = await self.wire.call("reading clocks", self.clock_payload, self.shards)
        raise_errors("reading clocks", answers)
        return [int(answer or 0) for answer in answers]

    async def load_pins(self, source: int) -> Pins:
        """Return what is pinned of a source."""
        home = self.keys.home(source)
        fence, pinned = await self._call(
            "loading pins",
            [
                pack(b"GET", self.keys.of_source(home, "F", source)),
                pack(b"HGETALL", self.keys.of_source(home, "P", source)),
            ],
        )
        return _pins(-1 if fence is None else int(fence), pinned)

    async def pin(self, source: int, after: int, first: int, last: int, blob: bytes) -> Pins | None:
        """Pin decisions, unless somebody has."""
        arguments = [source.to_bytes(2, "big"), b"%d" % after, b"%d" % first, b"%d" % last, blob]
        [answer] = await self._run("pinning decisions", "pin", [(self.keys.home(source), arguments)])
        if answer == 1:
            return None
        if len(answer) == 1:
            raise StoreWentBackError(source, int(answer[0]), after)
        pins = _pins(int(answer[0]), answer[1])
        # Our own decisions, pinned by a call whose answer was lost, are as good as pinned now.
        return None if PinnedBlock(first, last, blob) in pins.blocks and pins.fence == last else pins

    async def apply(
        self, source: int, effects: Mapping[int, Sequence[Effect]]
    ) -> dict[tuple[str, int], Joined]:
        """Apply effects, one script a shard."""
        packed = source.to_bytes(2, "big")
        more = (self.lifetime, self.domain_lifetime, *self.caps, *self.limits)
        calls = [(shard, (packed, pack_effects(some), *more)) for shard, some in effects.items()]
        if not calls:
            return {}
        results: dict[tuple[str, int], Joined] = {}
        for some, answer in zip(
            effects.values(), await self._run("applying effects", "apply", calls), strict=True
        ):
            joins = [effect for effect in some if isinstance(effect, Join | Vote)]
            for join, shown in zip(joins, unpack_shown(answer), strict=True):
                if shown is not None:
                    results[join.space, join.offset] = shown
        return results

    async def link(self, source: int, offset: int, space: str, merged: int, into: int) -> Linked:
        """Fold a cluster into an older one."""
        arguments = [
            source.to_bytes(2, "big"), b"%d" % offset, space.encode(), name(merged), name(into), self.lifetime
        ]  # fmt: skip
        [answer] = await self._run("merging clusters", "link", [(shard_of(merged), arguments)])
        shown = _one_shown(answer)
        return Linked(
            shown.into, shown.pages, shown.domains, shown.similarity_sum, shown.revision, shown.class_after,
            shown.label, shown.prototype,
        )  # fmt: skip

    async def drain(self, space: str, merged: int) -> Drained | None:
        """Set the counts of a merged cluster aside."""
        arguments = [space.encode(), name(merged)]
        [answer] = await self._run("merging clusters", "drain", [(shard_of(merged), arguments)])
        if answer is None:
            return None
        return Drained(int.from_bytes(answer[0], "big"), answer[1], answer[2])

    async def take(
        self, space: str, merged: int, drained: Drained, note: tuple[int, int] | None = None
    ) -> Joined:
        """Add drained counts to the survivor, once."""
        source, offset = (b"", 0) if note is None else (note[0].to_bytes(2, "big"), note[1])
        arguments = [
            space.encode(), name(merged), name(drained.into), drained.payload, source, b"%d" % offset,
            self.lifetime, *self.limits,
        ]  # fmt: skip
        [answer] = await self._run("merging clusters", "take", [(shard_of(drained.into), arguments)])
        return _one_shown(answer)

    async def acknowledge(self, space: str, merged: int, sequence: int) -> None:
        """Forget counts set aside."""
        arguments = [space.encode(), name(merged), b"%d" % sequence]
        await self._run("merging clusters", "acknowledge", [(shard_of(merged), arguments)])

    async def trim(self, source: int, committed: int) -> None:
        """Forget pins and results below an offset."""
        arguments = (source.to_bytes(2, "big"), b"%d" % committed)
        await self._run("trimming", "trim", [(shard, arguments) for shard in range(self.shards)])

    async def find_dead(self, shard: int, limit: int) -> list[DeadCluster]:
        """Return clusters of a shard past their life time."""
        arguments = [b"%d" % limit, self.lifetime, self.domain_lifetime]
        [answer] = await self._run("sweeping", "find_dead", [(shard, arguments)])
        return [
            DeadCluster(
                entry[0][:1].decode(), int.from_bytes(entry[0][1:], "big"), int.from_bytes(entry[1], "big"),
                [(int.from_bytes(one[:8], "big"), one[8:]) for one in entry[2:]],
            )
            for entry in answer
        ]  # fmt: skip

    async def unindex(self, representatives: Sequence[tuple[int, bytes]]) -> None:
        """Remove representatives from the index."""
        parts: dict[int, list[bytes]] = {}
        for identity, sketch in representatives:
            for probe, low in enumerate(np.frombuffer(sketch, ">u2")[PROBE_SLOTS].tolist()):
                entry = struct.pack("<BH8s", probe, low, name(identity))
                parts.setdefault(low % self.shards, []).append(entry)
        if parts:
            calls = [(shard, [b"".join(some)]) for shard, some in parts.items()]
            await self._run("sweeping", "unindex", calls)

    async def bury(self, shard: int, dead: Sequence[tuple[str, int]]) -> int:
        """Remove clusters that are dead, and note each for its event."""
        arguments = [self.lifetime, *(space.encode() + name(cluster) for space, cluster in dead)]
        [buried] = await self._run("sweeping", "bury", [(shard, arguments)])
        return int(buried)

    async def read_expired(self, shard: int, limit: int) -> list[ExpiredCluster]:
        """Return noted burials."""
        command = pack(b"LRANGE", self.keys.key(shard, "e"), b"0", b"%d" % (limit - 1))
        [noted] = await self._call("reading expired clusters", [command])
        return [_expired(one) for one in noted]

    async def forget_expired(self, shard: int, events: int) -> None:
        """Forget the oldest noted burials."""
        command = pack(b"LTRIM", self.keys.key(shard, "e"), b"%d" % events, b"-1")
        await self._call("forgetting expired clusters", [command])

    async def list_clusters(self, space: str) -> AsyncIterator[tuple[int, ClusterRecord]]:
        """Yield every cluster of a space; walks all keys, so it is for reports alone."""
        pattern = self.keys.pattern(space)
        cursor = b"0"
        seen: set[int] = set()
        while True:
            command = pack(b"SCAN", cursor, b"MATCH", pattern, b"COUNT", b"5000")
            [(cursor, keys)] = await self._call("listing clusters", [command])
            found = {int.from_bytes(key[-8:], "big") for key in keys}
            fresh = sorted(found - seen)
            seen |= found
            records = await self.read_clusters(space, fresh) if fresh else []
            for cluster, record in zip(fresh, records, strict=True):
                if record is not None:
                    yield cluster, record
            if cursor == b"0":
                return


def _pins(fence: int, pinned: Sequence[bytes]) -> Pins:
    blocks = []
    for span, blob in _in_pairs(pinned):
        first, last = span.split(b":")
        blocks.append(PinnedBlock(int(first), int(last), blob))
    return Pins(fence, sorted(blocks))


def _in_pairs(flat: Sequence[bytes]) -> Iterable[tuple[bytes, bytes]]:
    return zip(flat[::2], flat[1::2], strict=True)


def _one_shown(answer: bytes) -> Joined:
    shown = next(iter(unpack_shown(answer)), None)
    if shown is None:
        raise StoreBrokenError("merging clusters: the store answered without a result")
    return shown


def _expired(noted: bytes) -> ExpiredCluster:
    space, cluster, due, url = _EXPIRED.unpack_from(noted)
    start = _EXPIRED.size + url
    return ExpiredCluster(
        space.decode(), int.from_bytes(cluster, "big"), due, ClusterRecord.unpack(noted[start:]),
        noted[_EXPIRED.size : start],
    )  # fmt: skip
