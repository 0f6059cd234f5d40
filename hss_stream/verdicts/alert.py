"""From evidence to verdicts and alerts: every rule here names what it guards against.

    page     its own text, its style and text cluster, its host, its provider
    mail     its campaign, the style of its HTML part, its links, its text
    cluster  what its record has added up
    host     fake text over all its pages

Weights are chosen so that reasons that only say *many use this* (`MANY_DOMAINS`, `SAME_TEXT`) do not reach
`suspect`, alone or together: a content system's theme, a manual, a directory listing, a licence or a mirror
is popular, not spam. Two independent kinds of evidence, or one person's word, make `spam`. What a language
model says of a page, its host and its cluster is one kind seen three ways, and only the weightiest counts:
a model that errs on a site's pages errs on all of them.
The figures behind the defaults: docs/algorithms/verdicts.md.
"""

from dataclasses import dataclass, replace
from typing import Literal

from hss_stream.verdicts.evidence import FakeText, Host, MailEvidence, PageEvidence, StyleCluster, TextCluster
from hss_stream.verdicts.fake_sums import FakeSums
from hss_stream.verdicts.reason import (
    ALLOW_LISTED,
    FAKE_CLUSTER,
    FAKE_HOST,
    FAKE_TEXT,
    IMATCH_HAM,
    IMATCH_SPAM,
    LINK_FARM,
    LINK_SPAM,
    MANY_DOMAINS,
    NS_SPAM,
    SAME_TEXT,
    STYLE_HAM,
    STYLE_SPAM,
    Facts,
    Reason,
    Verdict,
    VerdictName,
    sum_reasons,
)

FAKES = frozenset({FAKE_TEXT, FAKE_HOST, FAKE_CLUSTER})
Severity = Literal["info", "warning", "critical"]
Subject = Literal["page", "mail", "cluster", "host", "nameserver"]


@dataclass(frozen=True, slots=True)
class AlertRules:
    """Every weight and limit of a verdict; shares in [0, 1], weights in points of score."""

    suspect_score: float = 3.0
    spam_score: float = 6.0
    labelled: float = 6.0  # STYLE_SPAM, IMATCH_SPAM: a person has judged the very cluster
    labelled_style_of_mail: float = 4.0  # the HTML of a mail may borrow a page's layout
    many_domains: float = 1.5
    same_text: float = 1.0
    link_farm: float = 4.5
    fake_text: float = 3.5
    fake_text_of_mail: float = 2.0  # mail is a genre of its own, which the model has seen little of
    fake_host: float = 3.5
    fake_cluster: float = (
        4.0  # with MANY_DOMAINS below `spam`: the model errs on a whole generator of manuals
    )
    spam_provider: float = 6.0
    spam_link: float = 3.0
    allow_listed: float = -40.0  # below any sum of the others
    least_domains: int = 15  # below, nothing is said about how far a cluster has spread
    least_rank: float = 5.0  # mean similarity x domains, what table 1 of the paper sorts by
    least_links: int = 20  # out-links to known domains, before their share says anything
    sparse_links: float = (
        0.5  # inward share up to which links say nothing: friends of one theme reach a third
    )
    dense_links: float = 0.75  # inward share from which a link farm counts in full; farms show .9
    alike_text: float = 0.4
    least_tokens: int = 1000  # of a host or cluster, before its fake text is summed up
    least_fakeness: float = 0.5  # of all that text together


def judge_page(page: PageEvidence, rules: AlertRules) -> Verdict:
    """Return the verdict on a page.

    A label or allow-list of a cluster speaks for the evidence of that cluster alone: a theme called ham
    clears its layout, not a text called spam that somebody put into it. An allow-listed domain clears all.
    """
    reasons: list[Reason] = []
    if page.host.allow_listed:
        reasons.append(Reason(ALLOW_LISTED, rules.allow_listed, {"domain": page.host.domain}))
    reasons += _style_reasons(page.style, rules, page.matching_slots)
    reasons += _text_reasons(page.text, rules)
    reasons += _fake_reasons(page.fake, rules.fake_text)
    reasons += _host_reasons(page.host, rules)
    reasons = _count_fakes_once(reasons)
    if page.spam_provider is not None:
        reasons.append(Reason(NS_SPAM, rules.spam_provider, {"provider": page.spam_provider}))
    return sum_reasons(reasons, rules.suspect_score, rules.spam_score)


def judge_mail(mail: MailEvidence, rules: AlertRules) -> Verdict:
    """Return the verdict on a message.

    A campaign that nobody has labelled is a newsletter as far as we know: numbers alone say nothing. Fake
    text, a borrowed layout or one bad link alone stay below `spam`.
    """
    reasons = _text_reasons(mail.campaign, rules)
    if mail.style is not None and mail.style.label == "spam" and not mail.style.allow_listed:
        facts: Facts = {"cluster": mail.style.cluster, "matching_slots": mail.matching_slots}
        reasons.append(Reason(STYLE_SPAM, rules.labelled_style_of_mail, facts))
    reasons += _fake_reasons(mail.fake, rules.fake_text_of_mail)
    if mail.spam_links:
        shown: Facts = {
            "domains": ", ".join(mail.spam_links[:3]),
            "spam": len(mail.spam_links),
            "links": mail.links,
        }
        reasons.append(Reason(LINK_SPAM, rules.spam_link, shown))
    return sum_reasons(reasons, rules.suspect_score, rules.spam_score)


def judge_cluster(cluster: StyleCluster, rules: AlertRules) -> Verdict:
    """Return the verdict on a style cluster, from its own record alone."""
    return sum_reasons(_style_reasons(cluster, rules), rules.suspect_score, rules.spam_score)


def judge_text_cluster(cluster: TextCluster, rules: AlertRules) -> Verdict:
    """Return the verdict on a text cluster or campaign: only a label can condemn one.

    Guards against calling a licence, a mirror or a newsletter spam because it is often seen.
    """
    return sum_reasons(_text_reasons(cluster, rules), rules.suspect_score, rules.spam_score)


def judge_host(host: Host, rules: AlertRules) -> Verdict:
    """Return the verdict on a domain, from the fake text of all its pages."""
    reasons = _host_reasons(host, rules)
    if host.allow_listed:
        reasons.append(Reason(ALLOW_LISTED, rules.allow_listed, {"domain": host.domain}))
    return sum_reasons(reasons, rules.suspect_score, rules.spam_score)


def _style_reasons(cluster: StyleCluster | None, rules: AlertRules, slots: int | None = None) -> list[Reason]:
    """Return what a style cluster says about its pages.

    Guards against calling the popular spam: spread and likeness of text only support a farm's links, a
    model's word or a label, and together stay below `suspect`.
    """
    if cluster is None:
        return []
    facts: Facts = {"cluster": cluster.cluster, "prototype": cluster.prototype}
    if slots is not None:
        facts["matching_slots"] = slots
    if cluster.allow_listed:
        return [Reason(ALLOW_LISTED, 0.0, facts)]
    if cluster.label == "ham":
        return [Reason(STYLE_HAM, 0.0, facts)]
    reasons = []
    if cluster.label == "spam":
        reasons.append(Reason(STYLE_SPAM, rules.labelled, facts))
    spread = round(cluster.mean_similarity * cluster.domains, 2)
    if cluster.domains >= rules.least_domains and spread >= rules.least_rank:
        similarity = round(cluster.mean_similarity, 3)
        shown: Facts = {"cluster": cluster.cluster, "domains": cluster.domains, "mean_similarity": similarity}
        reasons.append(Reason(MANY_DOMAINS, rules.many_domains, shown))
    return reasons + _farm_reasons(cluster, rules) + _cluster_fake_reasons(cluster, rules)


def _farm_reasons(cluster: StyleCluster, rules: AlertRules) -> list[Reason]:
    """Return what links and texts of a cluster say.

    A blogroll or a ring of friends also links inward: the weight rises from nothing at `sparse_links` to the
    whole at `dense_links`. Same text counts only on top of a farm's links: without them it is a mirror or a
    licence.
    """
    if cluster.domains < rules.least_domains or cluster.known_links < rules.least_links:
        return []
    inward = round(cluster.inward_share, 3)
    part = (inward - rules.sparse_links) / (rules.dense_links - rules.sparse_links)
    if part <= 0:
        return []
    weight = round(rules.link_farm * min(1.0, part), 2)
    reasons = [Reason(LINK_FARM, weight, {"cluster": cluster.cluster, "inward_links": inward})]
    if cluster.alike_share >= rules.alike_text:
        shown: Facts = {"cluster": cluster.cluster, "alike_text": round(cluster.alike_share, 3)}
        reasons.append(Reason(SAME_TEXT, rules.same_text, shown))
    return reasons


def _count_fakes_once(reasons: list[Reason]) -> list[Reason]:
    """Return the reasons with only the weightiest of those about fake text counted; the others weigh nothing.

    Guards against honest sites of an odd genre: page, host and cluster show the same texts to the same model.
    """
    fakes = [reason for reason in reasons if reason.name in FAKES]
    best = max(fakes, key=lambda reason: reason.weight, default=None)
    return [
        replace(reason, weight=0.0) if reason.name in FAKES and reason is not best else reason
        for reason in reasons
    ]


def _cluster_fake_reasons(cluster: StyleCluster, rules: AlertRules) -> list[Reason]:
    """Return the reason of a cluster whose text is fake; on few domains hosts say it themselves."""
    if cluster.domains < rules.least_domains or not _is_fake(cluster.fake, rules):
        return []
    return [
        Reason(FAKE_CLUSTER, rules.fake_cluster, {"cluster": cluster.cluster, **_fake_facts(cluster.fake)})
    ]


def _host_reasons(host: Host, rules: AlertRules) -> list[Reason]:
    """Return the reason of a host whose text as a whole is fake."""
    if not _is_fake(host.fake, rules):
        return []
    return [Reason(FAKE_HOST, rules.fake_host, {"domain": host.domain, **_fake_facts(host.fake)})]


def _is_fake(sums: FakeSums, rules: AlertRules) -> bool:
    """Tell whether the text as a whole is fake: that of at least two pages, and enough of it.

    Guards against one odd page (a table, a list of names) that would speak for a whole host.
    """
    return sums.pages >= 2 and sums.tokens >= rules.least_tokens and sums.fakeness >= rules.least_fakeness


def _fake_facts(sums: FakeSums) -> Facts:
    """Return the sums as facts."""
    return {
        "pages": sums.pages,
        "tokens": sums.tokens,
        "fakeness": round(sums.fakeness, 3),
    }


def _text_reasons(cluster: TextCluster | None, rules: AlertRules) -> list[Reason]:
    """Return what a text cluster or campaign says: nothing unless somebody has labelled it."""
    if cluster is None:
        return []
    facts: Facts = {
        "cluster": cluster.cluster,
        "matching": cluster.matching,
        "of": cluster.of,
        "prototype": cluster.prototype,
    }
    if cluster.allow_listed:
        return [Reason(ALLOW_LISTED, 0.0, facts)]
    if cluster.label == "ham":
        return [Reason(IMATCH_HAM, 0.0, facts)]
    return [Reason(IMATCH_SPAM, rules.labelled, facts)] if cluster.label == "spam" else []


def _fake_reasons(fake: FakeText | None, weight: float) -> list[Reason]:
    """Return the reason of a text the model calls fake; too short and unknown languages say nothing."""
    if fake is None or fake.verdict != "fake":
        return []
    facts: Facts = {"tokens": fake.tokens, "fakeness": round(fake.fakeness, 3)}
    if fake.worst_spans:
        facts["worst"] = fake.worst_spans[0]
    return [Reason(FAKE_TEXT, weight, facts)]


RANKS: dict[VerdictName, int] = {"ham": 0, "unknown": 0, "suspect": 1, "spam": 2}


def is_page_alert_due(verdict: Verdict) -> bool:
    """Tell whether a page or message raises an alert: from `suspect` up, every time it is seen."""
    return RANKS[verdict.verdict] >= 1


# A cluster's alert says spam. Fake text is all that is known of a host as such, so `suspect` is news there.
LEAST_RANKS: dict[Subject, int] = {"page": 1, "mail": 1, "cluster": 2, "host": 1, "nameserver": 2}


def is_change_alert_due(subject: Subject, before: Verdict, after: Verdict) -> bool:
    """Tell whether a cluster or host raises an alert: only when it becomes worse.

    Guards against storms: a million pages of one labelled cluster give one cluster alert.
    """
    rank = RANKS[after.verdict]
    return rank > RANKS[before.verdict] and rank >= LEAST_RANKS[subject]


def severity_of(subject: Subject, verdict: Verdict) -> Severity:
    """Return how urgent an alert is: spam that reaches beyond one page wants a person now."""
    if verdict.verdict != "spam":
        return "info"
    return "critical" if subject in {"cluster", "nameserver"} else "warning"
