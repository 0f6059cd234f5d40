"""The store of providers in memory: the twin of the Redis one, for tests, demos and small replays."""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

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


@dataclass
class _Site:
    providers: tuple[int, ...]
    last: int


@dataclass
class _Shard:
    clock: int = 0
    fences: dict[int, int] = field(default_factory=dict)
    answers: dict[int, dict[int, Noted]] = field(default_factory=lambda: defaultdict(dict))
    sites: dict[int, _Site] = field(default_factory=dict)
    providers: dict[int, ProviderRecord] = field(default_factory=dict)
    samples: dict[int, bytes] = field(default_factory=dict)
    made: dict[int, dict[tuple[int, int], bytes]] = field(default_factory=lambda: defaultdict(dict))
    expired: list[ExpiredProvider] = field(default_factory=list)


class MemoryProviderStore:
    """A ProviderStore whose shards are Python objects."""

    def __init__(self, *, shards: int = 16, lifetime_seconds: int = SITE_LIFETIME_SECONDS) -> None:
        self.shards = shards
        self.lifetime = lifetime_seconds
        self.states = [_Shard() for _ in range(shards)]
        self.sources: dict[tuple[str, str, int, str], int] = {}
        self.reached_offsets: dict[int, int] = {}

    async def open(self) -> None:
        """Do nothing: it is always there."""

    async def close(self) -> None:
        """Do nothing: it stays until forgotten."""

    def _shard(self, identity: int) -> _Shard:
        return self.states[identity % self.shards]

    async def source_number(self, group: str, topic: str, partition: int, incarnation: str = "") -> int:
        """Return the number of a source."""
        return self.sources.setdefault((group, topic, partition, incarnation), len(self.sources) + 1)

    async def meet(self, names: Mapping[int, str], at: int) -> dict[int, ProviderHead]:
        """Return what pages need of providers."""
        heads = {}
        for provider, text in names.items():
            shard = self._shard(provider)
            if provider not in shard.providers:
                shard.providers[provider] = ProviderRecord(text, last=max(shard.clock, at))
            heads[provider] = ProviderHead(
                shard.providers[provider].state, shard.providers[provider].label
            )  # fmt: skip
        return heads

    async def note(self, source: int, notes: Sequence[SiteNote]) -> dict[int, Noted]:
        """Note pages."""
        found = {}
        fences = {id(shard): shard.fences.get(source, -1) for shard in self.states}
        for one in notes:
            shard = self._shard(one.domain)
            if one.offset > fences[id(shard)]:
                shard.answers[source][one.offset] = self._note(shard, one)
                shard.fences[source] = one.offset
            if one.offset in shard.answers[source]:
                found[one.offset] = shard.answers[source][one.offset]
        return found

    @staticmethod
    def _note(shard: _Shard, one: SiteNote) -> Noted:
        shard.clock = max(shard.clock, one.at)
        if not one.is_home:
            return Noted((), one.blob)
        known = shard.sites.get(one.domain)
        shard.sites[one.domain] = _Site(one.providers, shard.clock)
        return Noted(() if known is None else known.providers, one.blob)

    async def read_sites(self, domains: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the providers of domains."""
        found = [self._shard(domain).sites.get(domain) for domain in domains]
        return [() if site is None else site.providers for site in found]

    async def read_heads(self, providers: Sequence[int]) -> list[ProviderRecord | None]:
        """Return the records of providers."""
        return [self._shard(provider).providers.get(provider) for provider in providers]

    async def read(self, provider: int) -> StoredProvider | None:
        """Return a provider with its sample."""
        shard = self._shard(provider)
        record = shard.providers.get(provider)
        return None if record is None else StoredProvider(record, shard.samples.get(provider, b""))

    async def save(
        self, provider: int, record: ProviderRecord, sample: bytes, at: int, made: Sequence[MadeEvents]
    ) -> bool:
        """Replace what was read."""
        shard = self._shard(provider)
        known = shard.providers.get(provider)
        if (0 if known is None else known.version) != record.version:
            return False
        shard.clock = max(shard.clock, at)
        shard.providers[provider] = replace(record, version=record.version + 1, last=shard.clock)
        if sample:
            shard.samples[provider] = sample
        for one in made:
            shard.made[one.source][one.offset, provider] = one.events
        return True

    async def made_events(self, provider: int, source: int, offsets: Sequence[int]) -> dict[int, bytes]:
        """Return the events a provider made at offsets."""
        made = self._shard(provider).made[source]
        return {offset: made[offset, provider] for offset in offsets if (offset, provider) in made}

    async def reached(self, source: int) -> int:
        """Return the last offset that is applied."""
        return self.reached_offsets.get(source, -1)

    async def set_reached(self, source: int, offset: int) -> None:
        """Note how far sites are applied."""
        self.reached_offsets[source] = offset

    async def trim(self, source: int, committed: int) -> None:
        """Forget answers and events below an offset."""
        for shard in self.states:
            answers, made = shard.answers[source], shard.made[source]
            shard.answers[source] = {offset: one for offset, one in answers.items() if offset >= committed}
            shard.made[source] = {place: one for place, one in made.items() if place[0] >= committed}

    async def count_states(self) -> dict[str, int]:
        """Return how many providers are in each state."""
        counts = Counter(record.state_name for shard in self.states for record in shard.providers.values())
        return {state: counts[state] for state in STATES}

    async def sweep(self, shard: int, limit: int) -> int:
        """Forget what is past its life time."""
        state = self.states[shard]
        dead = [one for one, site in state.sites.items() if site.last + self.lifetime < state.clock]
        for domain in dead[:limit]:
            del state.sites[domain]
        gone = [one for one, record in state.providers.items() if record.last + self.lifetime < state.clock]
        for provider in gone[: max(0, limit - len(dead))]:
            record = state.providers.pop(provider)
            state.samples.pop(provider, None)
            state.expired.append(ExpiredProvider(record.last + self.lifetime, record.name))
        return min(limit, len(dead) + len(gone))

    async def read_expired(self, shard: int, limit: int) -> list[ExpiredProvider]:
        """Return forgotten providers."""
        return self.states[shard].expired[:limit]

    async def forget_expired(self, shard: int, events: int) -> None:
        """Forget the oldest forgotten providers."""
        del self.states[shard].expired[:events]

    async def list_providers(self) -> AsyncIterator[ProviderRecord]:
        """Yield every provider."""
        for shard in self.states:
            for record in list(shard.providers.values()):
                yield record
