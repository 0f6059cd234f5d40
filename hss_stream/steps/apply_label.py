"""Apply labels: an editor's word at once, reporters' by quorum, each once, with its events.

    look up the clusters ─▶ pin what was found ─▶ vote in the clusters' shards ─▶ label and alert events

Reads and writes the stores of the spaces; pins live in the store of the style space. A label delivered again
finds its pin, and its vote answers as the first time, so its events are the same bytes.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import xxhash

from hss_stream.steps.apply_pins import settle
from hss_stream.steps.events import Event, Origin
from hss_stream.steps.find_labelled import FindLabelled, Refused
from hss_stream.steps.label_events import label_events, outcome_of
from hss_stream.steps.place_page import SourceName
from hss_stream.steps.provider_names import provider_of
from hss_stream.steps.site_record import SiteRecord
from hss_stream.store.cluster_store import ClusterStore, Pins
from hss_stream.store.effects import Effect, Joined, Vote
from hss_stream.store.provider_store import ProviderStore
from hss_stream.verdicts.alert import AlertRules
from hss_stream.verdicts.cluster_id import STYLE, from_text, shard_of
from hss_stream.verdicts.label import ROLES, STRENGTH

BATCH_LABELS = 256
# Beside the letters of the spaces: the number of a source in the store of providers.
PROVIDERS = "providers"


@dataclass(frozen=True)
class LabelToApply:
    """A record of `hss.labels` and where it came from."""

    origin: Origin
    at_ms: int
    fields: Mapping[str, Any]

    @property
    def source(self) -> SourceName:
        """Group, topic and partition of the label."""
        group, topic, partition, _ = self.origin
        return SourceName(group, topic, int(partition))


@dataclass(frozen=True)
class LabelResult:
    """What became of a label: `applied`, `counted`, `unchanged`, `conflict`, `cleared` or `refused`.

    `sent`: it went on to the provider it is about. `skipped`: it was committed long ago, nothing is to send.
    """

    origin: Origin
    outcome: str
    cluster: str | None = None
    why: str = ""
    events: tuple[Event, ...] = ()


@dataclass(frozen=True)
class Target:
    """What a label was found to be about when it first came, or why nothing; this is pinned."""

    cluster: str = ""
    samples: tuple[str, ...] = ()
    why: str = ""
    provider: str = ""


@dataclass
class LabelSource:
    """What is known of a source: its number in each space, and its pins."""

    numbers: dict[str, int]
    fence: int = -1
    pinned: dict[int, Target] = field(default_factory=dict)

    def take(self, pins: Pins) -> None:
        """Take over what the store has pinned."""
        self.fence = pins.fence
        self.pinned = {
            offset: Target(cluster, tuple(samples), why, provider)
            for block in pins.blocks
            for offset, cluster, samples, why, provider in orjson.loads(block.blob)
        }


class ApplyLabels:
    """The step; `stores` by the letter of the space, that of the style space holds the pins.

    Where providers are kept, a label of a name server goes on to the one who judges its provider.
    """

    def __init__(
        self,
        stores: Mapping[str, ClusterStore],
        rules: AlertRules | None = None,
        quorum: int = 3,
        providers: ProviderStore | None = None,
    ) -> None:
        self.stores = stores
        self.providers = providers
        self.rules = rules or AlertRules()
        self.quorum = quorum
        self.find = FindLabelled(stores)
        self.sources: dict[SourceName, LabelSource] = {}

    async def load_pins(self, source: SourceName) -> int:
        """Read what a source has pinned, and return its fence: the last offset decided, -1 if none."""
        numbers = {space: await store.source_number(*source) for space, store in self.stores.items()}
        if self.providers is not None:
            numbers[PROVIDERS] = await self.providers.source_number(*source)
        state = self.sources[SourceName(*source[:3])] = LabelSource(numbers)
        state.take(await self.stores[STYLE].load_pins(numbers[STYLE]))
        return state.fence

    async def trim(self, source: SourceName, committed: int) -> None:
        """Forget what only labels below `committed` would need again."""
        state = await self._state(SourceName(*source[:3]))
        for space, store in self.stores.items():
            await store.trim(state.numbers[space], committed)
        state.pinned = {offset: one for offset, one in state.pinned.items() if offset >= committed}

    async def __call__(self, labels: Sequence[LabelToApply]) -> list[LabelResult]:
        """Apply labels in order; offsets of a source must rise."""
        by_source: dict[SourceName, list[LabelToApply]] = defaultdict(list)
        for label in labels:
            by_source[label.source].append(label)
        done: dict[Origin, LabelResult] = {}
        for source, some in by_source.items():
            state = await self._state(source)
            for start in range(0, len(some), BATCH_LABELS):
                batch = some[start : start + BATCH_LABELS]
                await self._pin(state, batch)
                done |= {result.origin: result for result in await self._apply(state, batch)}
        return [done[label.origin] for label in labels]

    async def _state(self, source: SourceName) -> LabelSource:
        if source not in self.sources:
            await self.load_pins(source)
        return self.sources[source]

    async def _pin(self, state: LabelSource, labels: Sequence[LabelToApply]) -> None:
        """Find what labels are about and pin it, unless it is pinned."""
        while new := [label for label in labels if label.origin.offset > state.fence]:
            found: dict[tuple[str, str], Target] = {}
            targets: dict[int, Target] = {}
            for label in new:
                wanted = (str(label.fields.get("subject")), str(label.fields.get("id")))
                if (why := refusal(label.fields)) is None and wanted not in found:
                    found[wanted] = await self._found(*wanted)
                targets[label.origin.offset] = found[wanted] if why is None else Target(why=why)
            first, last = new[0].origin.offset, new[-1].origin.offset
            blob = orjson.dumps(
                [(at, one.cluster, one.samples, one.why, one.provider) for at, one in targets.items()]
            )
            theirs = await self.stores[STYLE].pin(state.numbers[STYLE], state.fence, first, last, blob)
            if theirs is None:
                state.fence = last
                state.pinned |= targets
            else:
                state.take(theirs)

    async def _found(self, subject: str, name: str) -> Target:
        if subject == "nameserver" and self.providers is not None:
            try:
                return Target(provider=provider_of(name))
            except ValueError as error:
                return Target(why=str(error))
        found = await self.find(subject, name)
        if isinstance(found, Refused):
            return Target(why=found.why)
        samples = [sample.decode("utf-8", "replace") for sample in found.record.samples]
        urls = tuple(url for url in dict.fromkeys([found.prototype, *samples]) if url)
        return Target(found.name, urls)

    async def _apply(self, state: LabelSource, labels: Sequence[LabelToApply]) -> list[LabelResult]:
        """Vote as pinned, all labels of a shard at once."""
        votes: dict[int, Vote] = {}
        effects: dict[str, dict[int, list[Effect]]] = defaultdict(lambda: defaultdict(list))
        for label in labels:
            target = state.pinned.get(label.origin.offset)
            if target is not None and target.cluster:
                vote = votes[label.origin.offset] = self._vote(label, target.cluster)
                effects[vote.space][shard_of(vote.cluster)].append(vote)
        shown: dict[tuple[str, int], Joined] = {}
        for space, some in effects.items():
            shown |= await self.stores[space].apply(state.numbers[space], some)
        # Folded since they were found: their survivors take the labels over, as they take late pages.
        late = {
            (votes[offset].space, votes[offset].cluster) for (_, offset), one in shown.items() if one.into
        }
        for space, cluster in sorted(late):
            await settle(self.stores[space], space, cluster)
        return [self._result(state, label, votes.get(label.origin.offset), shown) for label in labels]

    def _vote(self, label: LabelToApply, name: str) -> Vote:
        fields = label.fields
        space, cluster = from_text(name)
        who = str(fields.get("client", "")).encode("utf-8", "replace")
        return Vote(
            label.origin.offset, label.at_ms // 1000, space, cluster, STRENGTH[fields["label"]],
            ROLES[fields["role"]], self.quorum, xxhash.xxh3_64_intdigest(who), who,
        )  # fmt: skip

    def _result(
        self,
        state: LabelSource,
        label: LabelToApply,
        vote: Vote | None,
        shown: Mapping[tuple[str, int], Joined],
    ) -> LabelResult:
        target = state.pinned.get(label.origin.offset)
        if target is None:
            return LabelResult(label.origin, "skipped", why="committed long ago")
        if target.provider:
            record = self._provider_record(state, label, target.provider)
            return LabelResult(label.origin, "sent", events=(record,))
        if vote is None:
            return LabelResult(label.origin, "refused", why=target.why)
        after = shown.get((vote.space, vote.offset))
        if after is None:
            return LabelResult(label.origin, "refused", target.cluster, "no such cluster (any more)")
        events = label_events(label.origin, label.at_ms, vote, after, target.samples, self.rules)
        return LabelResult(label.origin, outcome_of(after, vote), target.cluster, events=tuple(events))

    def _provider_record(self, state: LabelSource, label: LabelToApply, provider: str) -> Event:
        """Return the label on its way to the provider's own writer."""
        fields = label.fields
        vote = (str(fields["label"]), str(fields["role"]), str(fields.get("client", "")))
        number = state.numbers[PROVIDERS]
        return SiteRecord("label", provider, label.origin, number, label.at_ms, vote=vote).to_event()


def refusal(fields: Mapping[str, Any]) -> str | None:
    """Return why a label is refused whatever it is about; None when it is not."""
    if fields.get("label") not in STRENGTH or fields.get("role") not in ROLES:
        return "`label` or `role` is not one of the known words"
    return None
