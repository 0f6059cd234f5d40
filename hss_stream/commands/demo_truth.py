"""What the demo found, against the truth that was generated with its pages."""

import dataclasses
from collections.abc import Iterable, Sequence

from hss_stream.commands.demo_stream import DemoResult
from hss_stream.lab.crawl_page import CrawlPage
from hss_stream.lab.judge_crawl import JudgedPage, Tally, tally
from hss_stream.steps.provider_names import providers_of

SPAM = "spam"


def on_arrival(crawl: Iterable[CrawlPage], result: DemoResult) -> list[JudgedPage]:
    """Return every page with what its attachment said; a page that became a dead letter was not judged."""
    judged = []
    for page in crawl:
        event = result.attachments.get(page.url)
        if event is None:
            judged.append(JudgedPage(page, "unknown", 0.0, (), None))
            continue
        reasons = tuple(reason["name"] for reason in event["reasons"] or ())
        judged.append(JudgedPage(page, event["verdict"], event["score"] or 0.0, reasons, event["cluster"]))
    return judged


def by_now(judged: Iterable[JudgedPage], result: DemoResult) -> list[JudgedPage]:
    """Return the same pages with what alerts said since: a page falls with its cluster, host or provider.

    The first pages of a farm arrive before anybody can know it is one. The alert on their cluster, when it
    comes, is about them too: readers of `hss.alerts` find them by the cluster in `hss.attachments`.
    """
    latest = {(alert["subject"], alert["subject_id"]): alert["verdict"] for alert in result.alerts}
    spam = {subject for subject, verdict in latest.items() if verdict == SPAM}
    return [
        dataclasses.replace(one, verdict=SPAM) if _is_covered(one, result, spam) else one for one in judged
    ]


def _is_covered(one: JudgedPage, result: DemoResult, spam: set[tuple[str, str]]) -> bool:
    """Say whether a spam alert is about the page, its cluster (also after merges), host or provider."""
    about = [("page", one.page.url), ("host", one.page.domain)]
    about += [("nameserver", provider) for provider in providers_of(one.page.nameservers)]
    if not spam.isdisjoint(about):
        return True
    event = result.attachments.get(one.page.url)
    clusters = () if event is None else (event["cluster"], event["text_cluster"])
    return any(("cluster", survivor(cluster, result)) in spam for cluster in clusters if cluster is not None)


def survivor(cluster: str, result: DemoResult) -> str:
    """Return the cluster into which a cluster was merged in the end, itself if it was not."""
    seen = {cluster}
    while (event := result.clusters.get(cluster)) is not None and event["into"] and event["into"] not in seen:
        cluster = event["into"]
        seen.add(cluster)
    return cluster


def count(crawl: Sequence[CrawlPage], result: DemoResult) -> tuple[Tally, Tally]:
    """Return right and wrong on arrival, and by now."""
    judged = on_arrival(crawl, result)
    return tally(judged), tally(by_now(judged, result))
