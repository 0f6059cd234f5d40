"""The events of an applied label: the change of its cluster, and alerts where that became spam.

A function of the label, what was pinned for it and what its vote showed, which are the same when it comes
again.
"""

from collections.abc import Iterator, Sequence

from hss_stream.steps.events import Event, Origin
from hss_stream.steps.page_events import cluster_change
from hss_stream.steps.page_verdict import AllowLists, alert_event, cluster_of, label_name
from hss_stream.store.effects import Joined, Vote
from hss_stream.verdicts.alert import (
    AlertRules,
    Subject,
    judge_cluster,
    judge_mail,
    judge_page,
    judge_text_cluster,
)
from hss_stream.verdicts.cluster_id import MAIL, STYLE, to_text
from hss_stream.verdicts.evidence import Host, MailEvidence, PageEvidence, TextCluster
from hss_stream.verdicts.label import ROLES, STRENGTH
from hss_stream.verdicts.reason import Verdict


def label_events(
    origin: Origin, at_ms: int, vote: Vote, shown: Joined, samples: Sequence[str], rules: AlertRules
) -> Iterator[Event]:
    """Yield the label's event; for a cluster that became spam also its alert and its sample's."""
    space, cluster, outcome = vote.space, vote.cluster, outcome_of(shown, vote)
    if outcome in {"applied", "cleared", "conflict"}:
        change = "label_conflict" if outcome == "conflict" else "label"
        yield cluster_change(origin, at_ms, space, cluster, change, shown)
    if shown.label == shown.label_before or label_name(shown.label) != "spam":
        return
    name = to_text(space, cluster)
    about, member = _verdicts(space, name, shown, samples[0] if samples else "", rules)
    yield alert_event(origin, at_ms, "cluster", name, about, samples, [])
    subject: Subject = "mail" if space == MAIL else "page"
    for url in samples:
        yield alert_event(origin, at_ms, subject, url, member, [url], [])


def _verdicts(space: str, name: str, shown: Joined, url: str, rules: AlertRules) -> tuple[Verdict, Verdict]:
    """Return the verdicts on a labelled cluster and on a member of it, of which nothing else is known."""
    if space == STYLE:
        style = cluster_of(name, shown, url, AllowLists(), pages=shown.pages, domains=shown.domains)
        return judge_cluster(style, rules), judge_page(PageEvidence(Host(""), style), rules)
    text = TextCluster(name, shown.pages, shown.domains, label_name(shown.label), prototype=url)
    about = judge_text_cluster(text, rules)
    if space == MAIL:
        return about, judge_mail(MailEvidence(text), rules)
    return about, judge_page(PageEvidence(Host(""), text=text), rules)


def outcome_of(shown: Joined, vote: Vote) -> str:
    """Return the word for the audit trail (`verdicts/label.py` has the rules)."""
    opposed = {shown.label_before, vote.label} == {STRENGTH["spam"], STRENGTH["ham"]}
    if opposed and (vote.role == ROLES["editor"] or shown.label_before != shown.label):
        return "conflict"
    if shown.label_before != shown.label:
        return "applied" if shown.label else "cleared"
    return "counted" if shown.changed else "unchanged"
