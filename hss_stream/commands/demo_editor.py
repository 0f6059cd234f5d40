"""The demo's editor: says of a cluster that was missed that it is spam, and sees how the word spreads."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from hss_stream.commands.demo_stream import DemoResult
from hss_stream.commands.demo_truth import by_now, on_arrival, survivor
from hss_stream.lab.crawl_mail import CrawlMail
from hss_stream.lab.crawl_page import CrawlPage
from hss_stream.stream.label_sender import LabelRecord

SPAM = "spam"


@dataclass(frozen=True)
class Spread:
    """How far one label reached: what it is about, and its pages or messages that came after it."""

    cluster: str
    what: str
    missed: int
    later: int
    found: int


def label_of(cluster: str) -> LabelRecord:
    """Return an editor's word that a cluster is spam."""
    return LabelRecord("cluster", cluster, SPAM, "editor", "demo", "demo", "2024-01-01T00:00:00Z", "demo")


def choose_clusters(crawl: Sequence[CrawlPage], result: DemoResult, *, each_farm: bool) -> list[str]:
    """Return the clusters to label: of each farm its first, or the one that was missed most."""
    if each_farm:
        return first_of_each_farm(crawl, result)
    cluster = most_missed(crawl, result)
    return [] if cluster is None else [cluster]


def most_missed(crawl: Sequence[CrawlPage], result: DemoResult) -> str | None:
    """Return the style cluster with the most missed pages of spam and no honest page; None without one."""
    missed: Counter[str] = Counter()
    honest: set[str] = set()
    for one in by_now(on_arrival(crawl, result), result):
        if one.cluster is None:
            continue
        cluster = survivor(one.cluster, result)
        if one.page.truth != SPAM:
            honest.add(cluster)
        elif one.verdict != SPAM:
            missed[cluster] += 1
    return next((cluster for cluster, _ in missed.most_common() if cluster not in honest), None)


def first_of_each_farm(crawl: Sequence[CrawlPage], result: DemoResult) -> list[str]:
    """Return, for every group of spam, the cluster in which its first placed page is now."""
    found: dict[str, str] = {}
    for one in on_arrival(crawl, result):
        if one.page.truth == SPAM and one.cluster is not None:
            found.setdefault(one.page.group, survivor(one.cluster, result))
    return list(dict.fromkeys(found.values()))


def largest_campaign(mails: Iterable[CrawlMail], result: DemoResult) -> str | None:
    """Return the mail cluster with the most messages of one campaign."""
    counts = Counter(
        survivor(cluster, result)
        for mail in mails
        if mail.truth == SPAM and (cluster := cluster_of_mail(mail, result)) is not None
    )
    return counts.most_common(1)[0][0] if counts else None


def spread_over_pages(
    cluster: str, before: Sequence[CrawlPage], after: Sequence[CrawlPage], result: DemoResult
) -> Spread:
    """Return what a label did to the pages of its cluster."""
    kinds: dict[str, int] = defaultdict(int)
    for one in on_arrival(before, result):
        if one.cluster is not None and survivor(one.cluster, result) == cluster:
            kinds[one.page.kind] += 1
    later = [
        one
        for one in on_arrival(after, result)
        if one.cluster is not None and survivor(one.cluster, result) == cluster
    ]
    what = " and ".join(sorted(kinds))
    return Spread(cluster, what, sum(kinds.values()), len(later), sum(one.verdict == SPAM for one in later))


def spread_over_mail(
    cluster: str, before: Sequence[CrawlMail], after: Sequence[CrawlMail], result: DemoResult
) -> Spread:
    """Return what a label did to the messages of its campaign."""
    campaigns = {mail.campaign for mail in before if cluster_of_mail(mail, result) == cluster}
    later = [mail for mail in after if mail.campaign is not None and mail.campaign in campaigns]
    found = sum(verdict_of_mail(mail, result) == SPAM for mail in later)
    missed = sum(mail.campaign in campaigns for mail in before)
    return Spread(cluster, "mail campaign", missed, len(later), found)


def cluster_of_mail(mail: CrawlMail, result: DemoResult) -> str | None:
    """Return the campaign that a message was placed in."""
    event = result.attachments.get(mail_id(mail))
    return None if event is None else event["cluster"]


def verdict_of_mail(mail: CrawlMail, result: DemoResult) -> str | None:
    """Return what was said of a message on arrival."""
    event = result.attachments.get(mail_id(mail))
    return None if event is None else event["verdict"]


def mail_id(mail: CrawlMail) -> str:
    """Return the `url` of a message's attachment."""
    return f"mail:{sha256(mail.raw).hexdigest()}"
