"""Judge name-server providers by the sites they serve: records of `hss.sites` in, changes of state out.

    by provider: read it ─▶ take what is new ─▶ judge when enough changed ─▶ save ─▶ nameserver, alert

A record counts once, by its page's source and offset; repeated, it changes nothing and gives the events of
the first time. What a provider becomes depends on the order of its records alone, not on batches, workers
or crashes: whoever saves an older version than the stored one is refused and begins again.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import orjson
import xxhash

from hss_stream.steps.events import Event
from hss_stream.steps.provider_events import provider_events, shown_state
from hss_stream.steps.provider_state import MAX_NAMESERVERS, KnownState
from hss_stream.steps.site_record import SiteRecord
from hss_stream.store.layout import domain_hash
from hss_stream.store.provider_store import MadeEvents, ProviderStore
from hss_stream.verdicts.label import LabelVote, apply_vote

# Providers whose unpacked samples are kept between batches (up to about a megabyte each).
KEPT_PROVIDERS = 64
DAY_MS = 86_400_000


class PlacedRecord(NamedTuple):
    """A record and its offset in the topic it came by."""

    offset: int
    record: SiteRecord


@dataclass
class SiteCounts:
    """What was done, for the metrics: records by outcome, states entered, distance calls by function."""

    outcomes: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)


@dataclass
class Applied:
    """A provider after some records, and the events each of them made, by its place in the topic."""

    state: KnownState
    events: dict[int, tuple[Event, ...]] = field(default_factory=dict)
    repeated: list[int] = field(default_factory=list)
    counts: SiteCounts = field(default_factory=SiteCounts)


def take_record(state: KnownState, record: SiteRecord, quorum: int) -> tuple[KnownState, bool]:
    """Return a provider's state after a new record, and whether it has to be judged at once."""
    state = state.with_fence(record.source, record.origin.offset)
    state = replace(state, at_ms=max(state.at_ms, record.at_ms))
    if record.kind == "label" and record.vote is not None:
        label, role, client = record.vote
        number = xxhash.xxh3_64_intdigest(client.encode())
        change = apply_vote(state.labels, LabelVote(label, role, number), quorum)  # type: ignore[arg-type] # checked by who sent it
        return replace(state, labels=change.state), change.before != change.after
    before = state.sample
    if record.home is None:
        sample = before.without_site(record.domain)
    else:
        # Whole days: a page fetched again on the same day changes nothing, and nothing has to be stored.
        sample = before.with_site(record.domain, record.at_ms // DAY_MS, record.home)
        if record.domain in sample.sites:
            names = dict.fromkeys((*state.nameservers, *record.nameservers))
            state = replace(state, nameservers=tuple(names)[:MAX_NAMESERVERS])
    known, now = before.sites.get(record.domain), sample.sites.get(record.domain)
    changed = (known is None) != (now is None) or (known and now and known.home != now.home)
    return replace(state, sample=sample, changes=state.changes + bool(changed)), False


def apply_records(state: KnownState, records: Sequence[PlacedRecord], quorum: int) -> Applied:
    """Return a provider after records in the order of their offsets; pure, and may take long."""
    applied = Applied(state)
    for offset, record in records:
        now = applied.state
        if record.origin.offset <= now.fences.get(record.source, -1):
            applied.repeated.append(offset)
            continue
        after, at_once = take_record(now, record, quorum)
        applied.counts.outcomes[record.kind] += 1
        if at_once or after.is_due():
            after = _judge(applied, offset, record, after, quorum, label_changed=at_once)
        applied.state = after
    return applied


def _judge(
    applied: Applied, offset: int, record: SiteRecord, state: KnownState, quorum: int, *, label_changed: bool
) -> KnownState:
    """Return the judged state; a change of state or label makes events."""
    fresh = state.sample.without_old(state.day)
    state = replace(state, sample=fresh, changes=0, judged_ms=state.at_ms)
    found, other = state.judged(quorum)
    applied.counts.calls += found.found.calls
    if found.verdict.state == state.state and not label_changed:
        # Nobody is told, but who looks the provider up finds the evidence of today.
        known = orjson.loads(state.event) if state.event else None
        return state if known is None else replace(
            state, event=orjson.dumps(known | shown_state(state, found, other))
        )  # fmt: skip
    after = replace(state, state=found.verdict.state, revision=state.revision + 1)
    events = tuple(provider_events(state, after, found, other, record.origin))
    applied.events[offset] = events
    applied.counts.states[after.state] += 1
    return replace(after, event=events[0].encode())


class JudgeNameservers:
    """The step; one for a worker. Not to be called twice at once for the same partition."""

    def __init__(self, store: ProviderStore, *, executor: Executor | None = None, quorum: int = 3) -> None:
        self.store = store
        self.executor = executor
        self.quorum = quorum
        self.counts = SiteCounts()
        self.kept: OrderedDict[str, KnownState] = OrderedDict()

    async def __call__(self, source: int, records: Sequence[PlacedRecord]) -> list[tuple[Event, ...]]:
        """Apply records of a partition (`source`: its number), offsets rising; return the events of each."""
        by_provider: dict[str, list[PlacedRecord]] = {}
        for one in records:
            by_provider.setdefault(one.record.provider, []).append(one)
        events: dict[tuple[int, str], tuple[Event, ...]] = {}
        applied = await asyncio.gather(
            *(self._apply(source, provider, some) for provider, some in by_provider.items())
        )
        for provider, made in zip(by_provider, applied, strict=True):
            events |= {(offset, provider): one for offset, one in made.items()}
        return [events.get((offset, record.provider), ()) for offset, record in records]

    async def _apply(
        self, source: int, provider: str, records: Sequence[PlacedRecord]
    ) -> dict[int, tuple[Event, ...]]:
        """Apply the records of one provider, again and again until nobody else came between."""
        name = domain_hash(provider)
        while True:
            state = await self._read(provider)
            applied = await self._work(state, records)
            if len(applied.repeated) == len(records) or await self._save(source, name, state, applied):
                break
            self.kept.pop(provider, None)
        self._keep(provider, applied.state)
        self.counts.outcomes["repeated"] += len(applied.repeated)
        repeated = await self.store.made_events(name, source, applied.repeated)
        return applied.events | {offset: _unpack_events(made) for offset, made in repeated.items()}

    async def _read(self, provider: str) -> KnownState:
        if provider in self.kept:
            return self.kept[provider]
        stored = await self.store.read(domain_hash(provider))
        return KnownState(provider) if stored is None else KnownState.of_stored(stored)

    async def _work(self, state: KnownState, records: Sequence[PlacedRecord]) -> Applied:
        if self.executor is None:
            return apply_records(state, records, self.quorum)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.executor, apply_records, state, records, self.quorum)

    async def _save(self, source: int, name: int, before: KnownState, applied: Applied) -> bool:
        after = applied.state
        made = [MadeEvents(source, offset, _pack_events(events)) for offset, events in applied.events.items()]
        sample = b"" if after.sample is before.sample else after.sample.to_bytes()
        saved = await self.store.save(name, after.to_record(self.quorum), sample, after.at_ms // 1000, made)
        if saved:
            applied.state = replace(after, version=after.version + 1)
            self.counts.outcomes += applied.counts.outcomes
            self.counts.states += applied.counts.states
            self.counts.calls += applied.counts.calls
        return saved

    def _keep(self, provider: str, state: KnownState) -> None:
        self.kept[provider] = state
        self.kept.move_to_end(provider)
        if len(self.kept) > KEPT_PROVIDERS:
            self.kept.popitem(last=False)

    def take_counts(self) -> SiteCounts:
        """Return what was done since this was last asked."""
        counts, self.counts = self.counts, SiteCounts()
        return counts


def _pack_events(events: Sequence[Event]) -> bytes:
    return orjson.dumps([[event.kind, event.key, event.body] for event in events])


def _unpack_events(packed: bytes) -> tuple[Event, ...]:
    return tuple(Event(kind, key, body) for kind, key, body in orjson.loads(packed))
