"""Place messages in campaigns and judge them: by their text, the style of their HTML part, their links.

    read ─▶ style space: look up HTML part, linked domains ─▶ mail space: decide, pin, apply ─▶ verdict

Only the mail space is written. What the style space said of a message is pinned with its decision, so a
message delivered again gives the same bytes however the style space has changed since. A message's URL is
`mail:` and the SHA-256 of its bytes; its domain, which campaigns count, is the first it links to.
"""

import asyncio
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import orjson

from hss_stream.steps.apply_pins import Applied
from hss_stream.steps.events import Event, Origin, make_event
from hss_stream.steps.judge_pages import TEXT_RULES
from hss_stream.steps.look_up_mail import ReadMail, read_mail
from hss_stream.steps.look_up_space import LookUpSpace
from hss_stream.steps.look_up_url import LookUpUrl
from hss_stream.steps.page_events import cluster_events, readable
from hss_stream.steps.page_verdict import (
    AllowLists,
    Placed,
    alert_event,
    label_name,
    text_cluster,
    text_cluster_alerts,
)
from hss_stream.steps.pins import PinnedPage
from hss_stream.steps.place_page import Placement, PlacePages, SourceName
from hss_stream.steps.scan_page import ScannedPage
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.store.layout import domain_hash, stored_url
from hss_stream.verdicts.alert import AlertRules, is_page_alert_due, judge_mail
from hss_stream.verdicts.cluster_class import SLOTS
from hss_stream.verdicts.cluster_id import MAIL, STYLE
from hss_stream.verdicts.cluster_rules import ClusterRules
from hss_stream.verdicts.evidence import MailEvidence, StyleCluster
from hss_stream.verdicts.label import STRENGTH
from hss_stream.verdicts.placing import OUTCOMES, TOO_LITTLE_STYLE
from hss_stream.verdicts.reason import Verdict

TOO_LITTLE_TEXT = "too_little_text"


@dataclass(frozen=True)
class MailToPlace:
    """A raw message and where it came from."""

    origin: Origin
    at_ms: int
    raw: bytes


@dataclass(frozen=True)
class ScannedMail:
    """A message that was read: `document` as the mail space sees it."""

    document: ScannedPage
    read: ReadMail


@dataclass(frozen=True)
class MailFacts:
    """What the style space said of a message when it first came; this is pinned."""

    style: str | None = None
    label: int = 0
    slots: int = 0
    spam_links: tuple[str, ...] = ()
    links: int = 0

    def pack(self) -> bytes:
        """Return the bytes of the pin."""
        return orjson.dumps([self.style, self.label, self.slots, self.spam_links, self.links])

    @classmethod
    def unpack(cls, packed: bytes) -> "MailFacts":
        """Return the facts of a pin."""
        if not packed:
            return cls()
        style, label, slots, spam_links, links = orjson.loads(packed)
        return cls(style, label, slots, tuple(spam_links), links)


def scan_mail(mail: MailToPlace) -> ScannedMail:
    """Read a message; any bytes are one."""
    read = read_mail(mail.raw)
    url = f"mail:{hashlib.sha256(mail.raw).hexdigest()}"
    sketched = replace(
        read.document.sketched,
        offset=mail.origin.offset,
        at=mail.at_ms // 1000,
        domain=domain_hash(read.domains[0] if read.domains else ""),
    )
    document = replace(
        read.document,
        origin=mail.origin,
        page_url=url,
        at_ms=mail.at_ms,
        url=stored_url(url),
        sketched=sketched,
    )
    return ScannedMail(document, read)


class PlaceMails:
    """The step; one for a worker. It stands where `PlacePages` stands and keeps the same promises."""

    read_signals = None

    def __init__(
        self,
        campaigns: PlacePages,
        style: LookUpSpace,
        look_up_url: LookUpUrl,
        rules: AlertRules | None = None,
        lists: AllowLists | None = None,
    ) -> None:
        self.campaigns = campaigns
        self.spaces = [campaigns]
        self.style = style
        self.look_up_url = look_up_url
        self.rules = rules or AlertRules()
        self.lists = lists or AllowLists()
        campaigns.events_of = self.events

    async def load_pins(self, source: SourceName) -> int:
        """Read what a source has pinned, and return its fence."""
        return await self.campaigns.load_pins(source)

    def first_unfinished(self, source: SourceName) -> int:
        """Return the first offset of a loaded source that is not both decided and committed."""
        return self.campaigns.first_unfinished(source)

    def forget(self, source: SourceName) -> None:
        """Forget a source that was taken away."""
        self.campaigns.forget(source)

    async def trim(self, source: SourceName, committed: int) -> None:
        """Let the store forget what only messages below `committed` would need again."""
        await self.campaigns.trim(source, committed)

    async def scan(self, mails: Sequence[MailToPlace]) -> list[ScannedMail]:
        """Read messages in threads."""
        loop = asyncio.get_running_loop()
        executor = self.campaigns.executor
        return list(await asyncio.gather(*(loop.run_in_executor(executor, scan_mail, one) for one in mails)))

    async def __call__(self, mails: Sequence[MailToPlace]) -> list[Placement]:
        """Read, place and judge messages; the placements come in the order of the messages."""
        return await self.place(await self.scan(mails))

    async def place(self, mails: Sequence[ScannedMail]) -> list[Placement]:
        """Place and judge messages that were read; offsets of each source must rise."""
        facts = await asyncio.gather(*(self._facts(mail.read) for mail in mails))
        documents = [replace(mail.document, extra=one.pack()) for mail, one in zip(mails, facts, strict=True)]
        little = OUTCOMES[TOO_LITTLE_STYLE]
        return [
            replace(placement, outcome=TOO_LITTLE_TEXT) if placement.outcome == little else placement
            for placement in await self.campaigns.place(documents)
        ]

    async def _facts(self, mail: ReadMail) -> MailFacts:
        """Look up the style of the HTML part and the linked domains; nothing is counted there."""
        style, spam_links = await asyncio.gather(
            self.style(mail.markup), self.look_up_url.spam_domains(mail.domains)
        )
        spam = tuple(domain for domain in spam_links if domain not in self.lists.domains)
        if style is None:
            return MailFacts(spam_links=spam, links=len(mail.domains))
        label = STRENGTH[style.cluster.label]
        return MailFacts(style.cluster.name, label, style.matching_slots, spam, len(mail.domains))

    def events(self, page: ScannedPage, pinned: PinnedPage, applied: Applied) -> Iterable[Event]:
        """Yield attachment, changes of campaigns, alerts, in a fixed order."""
        facts = MailFacts.unpack(pinned.extra)
        placed = Placed(MAIL, pinned, applied)
        verdict = judge_mail(self._evidence(page, placed, facts), self.rules)
        yield self._attachment(page, placed, facts, verdict)
        yield from cluster_events(page, pinned, applied, MAIL)
        yield from self._alerts(page, placed, verdict)

    def _evidence(self, page: ScannedPage, placed: Placed, facts: MailFacts) -> MailEvidence:
        style = None
        if facts.style is not None:
            listed = facts.style in self.lists.clusters
            style = StyleCluster(facts.style, 0, 0, 0.0, label=label_name(facts.label), allow_listed=listed)
        fake = None if page.signals is None else page.signals.fake_text()
        campaign = text_cluster(page, placed, self.lists)
        return MailEvidence(campaign, style, facts.slots, fake, facts.spam_links, facts.links)

    def _attachment(self, page: ScannedPage, placed: Placed, facts: MailFacts, verdict: Verdict) -> Event:
        campaign = text_cluster(page, placed, self.lists)
        outcome = OUTCOMES[placed.pinned.decision.outcome] if campaign else TOO_LITTLE_TEXT
        fields: dict[str, Any] = {
            "url": page.page_url,
            "domain": None,
            "kind": "mail",
            "outcome": outcome,
            "cluster": None if campaign is None else campaign.cluster,
            "text_outcome": None,
            "style_cluster": facts.style,
            "matching_slots": facts.slots if facts.style else None,
            "slots": SLOTS if facts.style else None,
            "representative": readable(placed.pinned.representative_url),
            "text_cluster": None,
            "imatch": None if campaign is None else {"matching": campaign.matching, "of": campaign.of},
            "faketext": None if page.signals is None else page.signals.shown_faketext(),
        }
        url = page.page_url
        return make_event("attachment", page.origin, page.at_ms, url, "", url, **fields, **verdict.to_json())

    def _alerts(self, page: ScannedPage, placed: Placed, verdict: Verdict) -> Iterator[Event]:
        urls = [page.page_url]
        if placed.pinned.representative_url:
            urls.append(readable(placed.pinned.representative_url) or "")
        if is_page_alert_due(verdict):
            spans = [] if page.signals is None else page.signals.worst_spans()
            yield alert_event(page.origin, page.at_ms, "mail", page.page_url, verdict, urls, spans)
        yield from text_cluster_alerts(page, placed, self.rules, self.lists)


def build_mail_judge(
    store: ClusterStore,
    mail_store: ClusterStore,
    *,
    executor: Executor | None = None,
    rules: AlertRules | None = None,
    lists: AllowLists | None = None,
) -> PlaceMails:
    """Return the step on open stores of the style and the mail space."""
    style = LookUpSpace(store, ClusterRules(), STYLE)
    campaigns = PlacePages(mail_store, TEXT_RULES, executor, MAIL)
    return PlaceMails(campaigns, style, LookUpUrl(style, rules or AlertRules()), rules, lists)
