"""Apply labels: an editor's word at once, reporters' by quorum, each once, with its events.

    look up the cluster ─▶ pin what was found ─▶ vote in the cluster's shard ─▶ label and alert events

Reads and writes the stores of the spaces; pins live in the store of the style space. A label delivered again
finds its pin, and its vote answers as the first time, so its events are the same bytes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import xxhash

from hss_stream.steps.apply_pins import settle
from hss_stream.steps.events import Event, Origin
from hss_stream.steps.find_labelled import FindLabelled, Refused
from hss_stream.steps.page_events import cluster_change
from hss_stream.steps.page_verdict import AllowLists, alert_event, cluster_of, label_name
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.store.effects import Joined, Vote
from hss_stream.verdicts.alert import (
    AlertRules,
    Subject,
    judge_cluster,
    judge_mail,
    judge_page,
    judge_text_cluster,
)
from hss_stream.verdicts.cluster_id import MAIL, STYLE, from_text, shard_of, to_text
from hss_stream.verdicts.evidence import Host, MailEvidence, PageEvidence, StyleCluster, TextCluster
from hss_stream.verdicts.label import STRENGTH
from hss_stream.verdicts.reason import Verdict

ROLES = {"editor": 0, "reporter": 1}


@dataclass(frozen=True)
class LabelToApply:
    """A record of `hss.labels` and where it came from."""

    origin: Origin
    at_ms: int
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class LabelResult:
    """What became of a label: `applied`, `counted`, `unchanged`, `conflict`, `cleared` or `refused`."""

    origin: Origin
    outcome: str
    cluster: str | None = None
    why: str = ""
    events: tuple[Event, ...] = ()


class ApplyLabels:
    """The step; `stores` by the letter of the space, that of the style space holds the pins."""

    def __init__(
        self, stores: Mapping[str, ClusterStore], rules: AlertRules | None = None, quorum: int = 3
    ) -> None:
        self.stores = stores
        self.rules = rules or AlertRules()
        self.quorum = quorum
        self.find = FindLabelled(stores)

    async def __call__(self, labels: Sequence[LabelToApply]) -> list[LabelResult]:
        """Apply labels one by one, in order; offsets of a source must rise."""
        return [await self.apply(label) for label in labels]

    async def apply(self, label: LabelToApply) -> LabelResult:
        """Apply one label."""
        fields = label.fields
        if fields.get("label") not in STRENGTH or fields.get("role") not in ROLES:
            return LabelResult(label.origin, "refused", why="`label` or `role` is not one of the known words")
        group, topic, partition, offset = label.origin
        sources = {
            space: await store.source_number(group, topic, int(partition))
            for space, store in self.stores.items()
        }
        target = await self._pinned(sources[STYLE], offset, fields)
        if target is None:
            return LabelResult(label.origin, "refused", why="committed long ago")
        if "why" in target:
            return LabelResult(label.origin, "refused", why=target["why"])
        space, cluster = from_text(target["cluster"])
        client = xxhash.xxh3_64_intdigest(str(fields.get("client", "")).encode())
        vote = Vote(
            offset, label.at_ms // 1000, space, cluster, STRENGTH[fields["label"]], ROLES[fields["role"]],
            self.quorum, client, str(fields.get("client", "")).encode("utf-8", "replace"),
        )  # fmt: skip
        results = await self.stores[space].apply(sources[space], {shard_of(cluster): [vote]})
        shown = results.get((space, offset))
        if shown is None:
            return LabelResult(label.origin, "refused", target["cluster"], "no such cluster (any more)")
        if shown.into:
            # Folded since it was found: its survivor takes the label over, as it takes late pages.
            await settle(self.stores[space], space, cluster)
        outcome = outcome_of(shown, vote)
        events = tuple(self._events(label, space, cluster, shown, outcome, target["samples"]))
        return LabelResult(label.origin, outcome, target["cluster"], events=events)

    async def _pinned(self, source: int, offset: int, fields: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return what a label was found to be about, the first time it came; None when that was trimmed."""
        store = self.stores[STYLE]
        pins = await store.load_pins(source)
        if offset > pins.fence:
            found = await self.find(str(fields.get("subject")), str(fields.get("id")))
            if isinstance(found, Refused):
                target: dict[str, Any] = {"why": found.why}
            else:
                samples = [sample.decode("utf-8", "replace") for sample in found.record.samples]
                target = {"cluster": found.name, "samples": [found.prototype, *samples]}
            theirs = await store.pin(source, pins.fence, offset, offset, orjson.dumps(target))
            if theirs is None:
                return target
            pins = theirs
        for block in pins.blocks:
            if block.first == offset:
                pinned: dict[str, Any] = orjson.loads(block.blob)
                return pinned
        return None

    async def trim(self, origin: Origin, committed: int) -> None:
        """Forget what only labels below `committed` would need again."""
        for store in self.stores.values():
            number = await store.source_number(origin.group, origin.topic, int(origin.partition))
            await store.trim(number, committed)

    def _events(
        self, label: LabelToApply, space: str, cluster: int, shown: Joined, outcome: str, samples: list[str]
    ) -> list[Event]:
        """Return the label's event; for a cluster that became spam also its alert and its sample's."""
        events = []
        if outcome in {"applied", "cleared", "conflict"}:
            change = "label_conflict" if outcome == "conflict" else "label"
            events.append(cluster_change(label.origin, label.at_ms, space, cluster, change, shown))
        if shown.label == shown.label_before or label_name(shown.label) != "spam":
            return events
        urls = [url for url in dict.fromkeys(samples) if url]
        name = to_text(space, cluster)
        about, page = self._verdicts(space, name, shown, urls[0] if urls else "")
        events.append(alert_event(label.origin, label.at_ms, "cluster", name, about, urls, []))
        subject: Subject = "mail" if space == MAIL else "page"
        events += [alert_event(label.origin, label.at_ms, subject, url, page, [url], []) for url in urls]
        return events

    def _verdicts(self, space: str, name: str, shown: Joined, url: str) -> tuple[Verdict, Verdict]:
        """Return the verdicts on a labelled cluster and on a page of it, of which nothing else is known."""
        if space == STYLE:
            style: StyleCluster = cluster_of(
                name, shown, url, AllowLists(), pages=shown.pages, domains=shown.domains
            )
            page = PageEvidence(Host(""), style)
            return judge_cluster(style, self.rules), judge_page(page, self.rules)
        text = TextCluster(name, shown.pages, shown.domains, label_name(shown.label), prototype=url)
        about = judge_text_cluster(text, self.rules)
        if space == MAIL:
            return about, judge_mail(MailEvidence(text), self.rules)
        return about, judge_page(PageEvidence(Host(""), text=text), self.rules)


def outcome_of(shown: Joined, vote: Vote) -> str:
    """Return the word for the audit trail (`verdicts/label.py` has the rules)."""
    opposed = {shown.label_before, vote.label} == {STRENGTH["spam"], STRENGTH["ham"]}
    if opposed and (vote.role == ROLES["editor"] or shown.label_before != shown.label):
        return "conflict"
    if shown.label_before != shown.label:
        return "applied" if shown.label else "cleared"
    return "counted" if shown.changed else "unchanged"
