"""The verdict on a placed page, and the alerts it raises: evidence out of what placing showed.

A function of the page, its pins and what applying it showed, all of which are the same when the page is
delivered again; so verdicts and alerts are repeated byte by byte.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from hss_stream.steps.apply_pins import Applied
from hss_stream.steps.events import Event, Origin, make_event
from hss_stream.steps.page_events import LABELS, readable
from hss_stream.steps.pins import PinnedPage
from hss_stream.steps.scan_page import ScannedPage
from hss_stream.store.effects import Joined
from hss_stream.verdicts.alert import (
    AlertRules,
    Subject,
    is_change_alert_due,
    is_page_alert_due,
    judge_cluster,
    judge_host,
    judge_page,
    judge_text_cluster,
    severity_of,
)
from hss_stream.verdicts.cluster_class import (
    ALIKE_PARTS,
    ALL_PARTS,
    CLASS_NAMES,
    INWARD_LINKS,
    JUDGED_PAGES,
    KNOWN_LINKS,
    mean_similarity,
)
from hss_stream.verdicts.cluster_id import to_text
from hss_stream.verdicts.evidence import Host, Label, PageEvidence, StyleCluster, TextCluster
from hss_stream.verdicts.fake_sums import FakeSums
from hss_stream.verdicts.placing import OPENED, Decision
from hss_stream.verdicts.reason import Verdict
from hss_stream.verdicts.text_match import matching_coordinates


@dataclass(frozen=True)
class AllowLists:
    """What the operator vouches for: domains, and clusters by id."""

    domains: frozenset[str] = field(default_factory=frozenset)
    clusters: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Placed:
    """A page's place in one space: what was pinned and what applying it showed."""

    space: str
    pinned: PinnedPage
    applied: Applied

    @property
    def cluster(self) -> str | None:
        """Return the id of the page's cluster; that of its survivor if it had been folded before."""
        joined, decision = self.applied.joined, self.pinned.decision
        cluster = joined.into if joined is not None and joined.into else decision.cluster
        return to_text(self.space, cluster) if cluster else None


def label_name(number: int) -> Label:
    """Return the name of a stored label."""
    name = LABELS[number]
    return "spam" if name == "spam" else "ham" if name == "ham" else "none"


def page_evidence(
    page: ScannedPage, style: Placed, text: Placed | None, lists: AllowLists, spam_provider: str | None = None
) -> PageEvidence:
    """Return everything known of a page."""
    host = Host(page.domain, FakeSums(*style.pinned.decision.host), page.domain in lists.domains)
    return PageEvidence(
        host,
        style_cluster(style, lists),
        style.pinned.decision.slots,
        None if text is None else text_cluster(page, text, lists),
        None if page.signals is None else page.signals.fake_text(),
        spam_provider,
    )


def style_cluster(placed: Placed, lists: AllowLists) -> StyleCluster | None:
    """Return the style cluster of a page, with the page counted; after a merge, the survivor."""
    joined = placed.applied.after_merge or placed.applied.joined
    if joined is None or placed.cluster is None:
        return None
    url = readable(placed.pinned.representative_url) or ""
    return cluster_of(placed.cluster, joined, url, lists, pages=joined.pages, domains=joined.domains)


def style_cluster_before(placed: Placed, page: ScannedPage, lists: AllowLists) -> StyleCluster | None:
    """Return the style cluster without the page; what a merge changed counts as the page's doing."""
    joined, decision = placed.applied.joined, placed.pinned.decision
    if joined is None or placed.cluster is None:
        return None
    sums = tuple(max(0, one - two) for one, two in zip(joined.sums, added_sums(decision, page), strict=True))
    before = joined._replace(sums=sums, similarity_sum=max(0, joined.similarity_sum - decision.slots))
    pages = max(0, joined.pages - 1)
    return cluster_of(placed.cluster, before, "", lists, pages=pages, domains=joined.domains_before)


def added_sums(decision: Decision, page: ScannedPage) -> tuple[int, ...]:
    """Return what a page added to its cluster's sums."""
    counted = (decision.inward, decision.links, decision.alike, decision.parts, decision.known)
    return (*counted, *page.sketched.fake)


def cluster_of(
    name: str, joined: Joined, url: str, lists: AllowLists, *, pages: int, domains: int
) -> StyleCluster:
    """Return the evidence in a cluster's record."""
    sums = joined.sums
    return StyleCluster(
        cluster=name,
        pages=pages,
        domains=domains,
        mean_similarity=mean_similarity(joined.similarity_sum, pages),
        kind=CLASS_NAMES[joined.class_after],
        label=label_name(joined.label),
        inward_links=sums[INWARD_LINKS],
        known_links=sums[KNOWN_LINKS],
        alike_parts=sums[ALIKE_PARTS],
        all_parts=sums[ALL_PARTS],
        fake=FakeSums(*sums[JUDGED_PAGES : JUDGED_PAGES + 3]),
        prototype=url,
        allow_listed=name in lists.clusters,
    )


def text_cluster(page: ScannedPage, placed: Placed, lists: AllowLists) -> TextCluster | None:
    """Return the text cluster of a page or message."""
    joined = placed.applied.after_merge or placed.applied.joined
    if joined is None or placed.cluster is None:
        return None
    decision = placed.pinned.decision
    return TextCluster(
        placed.cluster,
        joined.pages,
        joined.domains,
        label_name(joined.label),
        0 if decision.outcome == OPENED else matching_coordinates(decision.slots),
        0 if page.signals is None else page.signals.coordinates(),
        readable(placed.pinned.representative_url) or "",
        placed.cluster in lists.clusters,
    )


def page_alerts(
    page: ScannedPage, style: Placed, verdict: Verdict, rules: AlertRules, lists: AllowLists
) -> Iterator[Event]:
    """Yield the alerts of a page: its own, and those of a cluster or host that it made worse."""
    urls = [page.page_url]
    if style.pinned.representative_url:
        urls.append(readable(style.pinned.representative_url) or "")
    spans = [] if page.signals is None else page.signals.worst_spans()
    if is_page_alert_due(verdict):
        yield alert_event(page.origin, page.at_ms, "page", page.page_url, verdict, urls, spans)
    after, before = style_cluster(style, lists), style_cluster_before(style, page, lists)
    if after is not None and before is not None:
        judged = judge_cluster(after, rules)
        if is_change_alert_due("cluster", judge_cluster(before, rules), judged):
            yield alert_event(page.origin, page.at_ms, "cluster", after.cluster, judged, urls, [])
    listed = page.domain in lists.domains
    sums = FakeSums(*style.pinned.decision.host)
    host = judge_host(Host(page.domain, sums, listed), rules)
    earlier = Host(page.domain, sums - FakeSums(*page.sketched.fake), listed)
    if is_change_alert_due("host", judge_host(earlier, rules), host):
        yield alert_event(page.origin, page.at_ms, "host", page.domain, host, urls, spans)


def text_cluster_alerts(
    page: ScannedPage, placed: Placed, rules: AlertRules, lists: AllowLists
) -> Iterator[Event]:
    """Yield the alert of a text cluster or campaign that a merge made spam: its label came with the other."""
    joined, after = placed.applied.joined, text_cluster(page, placed, lists)
    if joined is None or after is None or placed.applied.after_merge is None:
        return
    before = replace(after, label=label_name(joined.label))
    judged = judge_text_cluster(after, rules)
    if is_change_alert_due("cluster", judge_text_cluster(before, rules), judged):
        urls = [page.page_url, after.prototype] if after.prototype else [page.page_url]
        yield alert_event(page.origin, page.at_ms, "cluster", after.cluster, judged, urls, [])


def alert_event(
    origin: Origin, at_ms: int, subject: Subject, name: str, verdict: Verdict, urls: Sequence[str],
    spans: Sequence[str],
) -> Event:  # fmt: skip
    """Return an alert about a subject."""
    key = f"{subject}:{name}"
    return make_event(
        "alert", origin, at_ms, key, verdict.verdict, key,
        subject=subject, subject_id=name, severity=severity_of(subject, verdict), **verdict.to_json(),
        evidence={"urls": list(dict.fromkeys(urls)), "spans": list(spans)},
    )  # fmt: skip


def judged_page(
    page: ScannedPage,
    style: Placed,
    text: Placed | None,
    rules: AlertRules,
    lists: AllowLists,
    spam_provider: str | None = None,
) -> Verdict:
    """Return the verdict on a placed page; `spam_provider` is the first of its providers that is listed."""
    return judge_page(page_evidence(page, style, text, lists, spam_provider), rules)
