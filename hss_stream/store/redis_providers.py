"""The store of providers in Redis (or Valkey), under a prefix of its own beside the clusters."""

import struct
from collections.abc import AsyncIterator, Mapping, Sequence

from hss_stream.store.address import StoreAddress
from hss_stream.store.provider_records import STATES, ProviderRecord
from hss_stream.store.provider_store import (
    SITE_LIFETIME_SECONDS,
    ExpiredProvider,
    MadeEvents,
    Noted,
    ProviderHead,
    SiteNote,
    StoredProvider,
)
from hss_stream.store.records import name
from hss_stream.store.script_calls import ScriptCalls
from hss_stream.store.wire import pack

_NOTE = struct.Struct("<IBI8sBBH")
_SITE_HEAD = 5
_SITE = struct.Struct(">8s4x")


class RedisProviderStore(ScriptCalls):
    """A ProviderStore on one server."""

    def __init__(
        self,
        address: StoreAddress,
        *,
        prefix: str = "hss.sites",
        shards: int = 16,
        away_seconds: float = 30.0,
        lifetime_seconds: int = SITE_LIFETIME_SECONDS,
    ) -> None:
        super().__init__(address, prefix, shards, away_seconds)
        self.lifetime = b"%d" % lifetime_seconds

    async def open(self) -> None:
        """Reach the server, load the scripts, and check what the store was made with."""
        await self._meet({b"kind": b"providers"})

    def _key(self, letter: str, identity: int) -> bytes:
        return self.keys.key(identity % self.shards, letter, name(identity))

    def head_key(self, provider: int) -> bytes:
        """Return the key of a provider's record."""
        return self._key("n", provider)

    async def meet(self, names: Mapping[int, str], at: int) -> dict[int, ProviderHead]:
        """Return what pages need of providers."""
        by_shard: dict[int, list[int]] = {}
        for provider in names:
            by_shard.setdefault(provider % self.shards, []).append(provider)
        calls = [
            (
                shard,
                [self.lifetime, b"%d" % at]
                + [part for one in some for part in (name(one), names[one].encode())],
            )
            for shard, some in by_shard.items()
        ]
        heads: dict[int, ProviderHead] = {}
        answers = await self._run("meeting providers", "meet_providers", calls) if calls else []
        for some, answer in zip(by_shard.values(), answers, strict=True):
            heads |= {one: ProviderHead(*head) for one, head in zip(some, answer, strict=True)}
        return heads

    async def note(self, source: int, notes: Sequence[SiteNote]) -> dict[int, Noted]:
        """Note pages, one script a shard."""
        by_shard: dict[int, list[SiteNote]] = {}
        for one in notes:
            by_shard.setdefault(one.domain % self.shards, []).append(one)
        calls = [
            (shard, [source.to_bytes(2, "big"), b"".join(map(_pack_note, some)), self.lifetime])
            for shard, some in by_shard.items()
        ]
        found: dict[int, Noted] = {}
        answers = await self._run("noting sites", "note_sites", calls) if calls else []
        for some, answer in zip(by_shard.values(), answers, strict=True):
            for one, payload in zip(some, answer, strict=True):
                if payload:
                    end = 1 + 8 * payload[0]
                    before = struct.unpack(f">{payload[0]}Q", payload[1:end])
                    found[one.offset] = Noted(before, payload[end:])
        return found

    async def read_sites(self, domains: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the providers of domains."""
        keys = [self._key("g", domain) for domain in domains]
        values = await self._get_many("reading sites", keys, [domain % self.shards for domain in domains])
        return [
            tuple(
                int.from_bytes(one, "big") for (one,) in _SITE.iter_unpack((value or b"")[_SITE_HEAD:])
            )
            for value in values
        ]  # fmt: skip

    async def read_heads(self, providers: Sequence[int]) -> list[ProviderRecord | None]:
        """Return the records of providers."""
        keys = [self.head_key(provider) for provider in providers]
        shards = [provider % self.shards for provider in providers]
        values = await self._get_many("reading providers", keys, shards)
        return [ProviderRecord.unpack(value) if value else None for value in values]

    async def read(self, provider: int) -> StoredProvider | None:
        """Return a provider with its sample."""
        commands = [pack(b"GET", self._key(letter, provider)) for letter in "np"]
        # One script at a time runs on a server, but two reads may fall between: `save` compares versions.
        packed, sample = await self._call("reading a provider", commands)
        return StoredProvider(ProviderRecord.unpack(packed), sample or b"") if packed else None

    async def save(
        self, provider: int, record: ProviderRecord, sample: bytes, at: int, made: Sequence[MadeEvents]
    ) -> bool:
        """Replace what was read."""
        arguments = [
            name(provider), b"%d" % record.version, self.lifetime, b"%d" % at, b"%d" % record.state,
            b"%d" % record.label, b"%d" % record.revision, record.name.encode(), record.facts, record.event,
            sample,
        ]  # fmt: skip
        for one in made:
            arguments += [one.source.to_bytes(2, "big"), _place(one.offset, provider), one.events]
        [done] = await self._run("saving a provider", "save_provider", [(provider % self.shards, arguments)])
        return bool(done)

    async def made_events(self, provider: int, source: int, offsets: Sequence[int]) -> dict[int, bytes]:
        """Return the events a provider made at offsets."""
        if not offsets:
            return {}
        key = self.keys.of_source(provider % self.shards, "x", source)
        command = pack(b"HMGET", key, *(_place(offset, provider) for offset in offsets))
        [values] = await self._call("reading events of a provider", [command])
        return {offset: value for offset, value in zip(offsets, values, strict=True) if value is not None}

    async def reached(self, source: int) -> int:
        """Return the last offset that is applied."""
        [value] = await self._call("reading how far sites are", [pack(b"GET", self._reached(source))])
        return -1 if value is None else int(value)

    async def set_reached(self, source: int, offset: int) -> None:
        """Note how far sites are applied."""
        await self._call("noting how far sites are", [pack(b"SET", self._reached(source), b"%d" % offset)])

    def _reached(self, source: int) -> bytes:
        return self.keys.of_source(self.keys.home(source), "F", source)

    async def trim(self, source: int, committed: int) -> None:
        """Forget answers and events below an offset."""
        arguments = (source.to_bytes(2, "big"), b"%d" % committed)
        calls = [(shard, arguments) for shard in range(self.shards)]
        await self._run("trimming", "trim", calls)
        await self._run("trimming", "trim_providers", calls)

    async def count_states(self) -> dict[str, int]:
        """Return how many providers are in each state."""
        commands = [pack(b"HGETALL", self.keys.key(shard, "a")) for shard in range(self.shards)]
        counts = dict.fromkeys(STATES, 0)
        for flat in await self._call("counting providers", commands):
            for state, count in zip(flat[::2], flat[1::2], strict=True):
                counts[STATES[int(state)]] += int(count)
        return counts

    async def sweep(self, shard: int, limit: int) -> int:
        """Forget what is past its life time."""
        [looked] = await self._run("sweeping", "sweep_sites", [(shard, [b"%d" % limit, self.lifetime])])
        return int(looked)

    async def read_expired(self, shard: int, limit: int) -> list[ExpiredProvider]:
        """Return forgotten providers."""
        command = pack(b"LRANGE", self.keys.key(shard, "e"), b"0", b"%d" % (limit - 1))
        [noted] = await self._call("reading expired providers", [command])
        return [ExpiredProvider(int.from_bytes(one[:4], "little"), one[4:].decode()) for one in noted]

    async def forget_expired(self, shard: int, events: int) -> None:
        """Forget the oldest forgotten providers."""
        command = pack(b"LTRIM", self.keys.key(shard, "e"), b"%d" % events, b"-1")
        await self._call("forgetting expired providers", [command])

    async def list_providers(self) -> AsyncIterator[ProviderRecord]:
        """Yield every provider; walks all keys, so it is for reports alone."""
        cursor, seen = b"0", set[int]()
        while True:
            command = pack(b"SCAN", cursor, b"MATCH", self.keys.pattern("n"), b"COUNT", b"5000")
            [(cursor, keys)] = await self._call("listing providers", [command])
            found = {int.from_bytes(key[-8:], "big") for key in keys} - seen
            seen |= found
            for record in await self.read_heads(sorted(found)) if found else []:
                if record is not None:
                    yield record
            if cursor == b"0":
                return


def _pack_note(one: SiteNote) -> bytes:
    low, high = one.offset & 0xFFFFFFFF, one.offset >> 32
    head = _NOTE.pack(
        low, high, one.at, name(one.domain), one.is_home, len(one.providers), len(one.blob)
    )  # fmt: skip
    return head + b"".join(map(name, one.providers)) + one.blob


def _place(offset: int, provider: int) -> bytes:
    return offset.to_bytes(8, "big") + name(provider)
