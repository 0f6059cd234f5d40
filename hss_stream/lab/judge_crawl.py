"""Run a crawl whose truth is known through the very step the stream runs, and count right and wrong.

Used for the figures of docs/algorithms/verdicts.md, by tests and by the demo. Everything is in memory and
deterministic.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from hss_stream.lab.crawl_page import CrawlPage
from hss_stream.lab.judge_providers import CrawlProviders
from hss_stream.steps.apply_label import ApplyLabels, LabelToApply
from hss_stream.steps.events import Event, Origin
from hss_stream.steps.judge_pages import JudgePages
from hss_stream.steps.scan_page import PageToPlace

BATCH_PAGES = 256
LABEL_BATCH = 64
ORIGIN = ("lab", "crawl", 0)


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A page of the crawl and what was said about it."""

    page: CrawlPage
    verdict: str
    score: float
    reasons: tuple[str, ...]
    cluster: str | None


@dataclass
class Tally:
    """Right and wrong verdicts, by kind of page and in all; only `spam` counts as a finding."""

    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    suspect: Counter[str] = field(default_factory=Counter)
    pages: Counter[str] = field(default_factory=Counter)
    truths: dict[str, str] = field(default_factory=dict)

    def add(self, judged: JudgedPage) -> None:
        """Count one page."""
        kind = judged.page.kind
        self.truths[kind] = judged.page.truth
        self.pages[kind] += 1
        found = judged.verdict == "spam"
        self.suspect[kind] += judged.verdict == "suspect"
        (self.right if found == (judged.page.truth == "spam") else self.wrong)[kind] += 1

    @property
    def recall(self) -> float:
        """Return the share of spam pages that were found."""
        spam = [kind for kind, truth in self.truths.items() if truth == "spam"]
        return sum(self.right[kind] for kind in spam) / max(1, sum(self.pages[kind] for kind in spam))

    @property
    def precision(self) -> float:
        """Return the share of findings that are spam; 1 where nothing was found."""
        hits = sum(self.right[kind] for kind, truth in self.truths.items() if truth == "spam")
        false = sum(self.wrong[kind] for kind, truth in self.truths.items() if truth == "clean")
        return hits / (hits + false) if hits + false else 1.0

    def rows(self) -> Iterator[tuple[str, str, int, int, int]]:
        """Yield kind, truth, pages, pages called spam, pages called suspect; sorted."""
        for kind in sorted(self.pages):
            spam = self.truths[kind] == "spam"
            found = (self.right if spam else self.wrong)[kind]
            yield kind, self.truths[kind], self.pages[kind], found, self.suspect[kind]


async def judge_crawl(
    step: JudgePages,
    pages: Iterable[CrawlPage],
    *,
    first: int = 0,
    alerts: list[Event] | None = None,
    changes: list[Event] | None = None,
    providers: CrawlProviders | None = None,
) -> list[JudgedPage]:
    """Return what the step says about pages, in order; `first` is the offset of the first.

    `alerts` and `changes` (of clusters) are given what was sent. With `providers`, whose `sites` the
    step was built with, name servers are judged after each batch.
    """
    stream = iter(pages)
    judged: list[JudgedPage] = []
    while batch := list(islice(stream, BATCH_PAGES)):
        start = first + len(judged)
        placements = await step([to_place(page, start + at) for at, page in enumerate(batch)])
        for page, placement in zip(batch, placements, strict=True):
            body = placement.events[0].body or {}
            reasons = tuple(reason["name"] for reason in body["reasons"])
            judged.append(JudgedPage(page, body["verdict"], body["score"], reasons, body["cluster"]))
            if alerts is not None:
                alerts.extend(event for event in placement.events if event.kind == "alert")
            if changes is not None:
                changes.extend(event for event in placement.events if event.kind == "cluster")
        if providers is not None:
            await providers.take(event for placement in placements for event in placement.events)
    return judged


async def judge_labelled(
    step: JudgePages,
    label: ApplyLabels,
    pages: Iterable[CrawlPage],
    providers: CrawlProviders | None = None,
) -> list[JudgedPage]:
    """Return what is said about pages when an editor labels each spam group once, at its first placed page.

    A label counts from the next batch on; pages up to then are left out, because they were not labelled yet.
    """
    stream = iter(pages)
    labelled: set[str] = set()
    judged: list[JudgedPage] = []
    done = 0
    while batch := list(islice(stream, LABEL_BATCH)):
        some = await judge_crawl(step, batch, first=done, providers=providers)
        done += len(batch)
        judged += [one for one in some if one.page.truth == "clean" or one.page.group in labelled]
        for one in some:
            page = one.page
            if page.truth == "spam" and page.group not in labelled and one.cluster is not None:
                fields = {"subject": "cluster", "id": one.cluster, "label": "spam", "role": "editor"}
                origin = Origin("lab", "labels", 0, len(labelled))
                await label([LabelToApply(origin, int(page.fetched_at.timestamp() * 1000), fields)])
                labelled.add(page.group)
    return judged


def by_now(judged: Iterable[JudgedPage], events: Iterable[Event]) -> list[JudgedPage]:
    """Return the pages with what alerts said since: a page falls with its style cluster or its host.

    The first pages of a farm come before anybody can know it is one; the alert on their cluster is about
    them too. `events` are alerts and changes of clusters.
    """
    spam: set[tuple[str, str]] = set()
    into: dict[str, str] = {}
    for event in events:
        body = event.body or {}
        if event.kind == "alert" and body["verdict"] == "spam":
            spam.add((body["subject"], body["subject_id"]))
        elif event.kind == "cluster" and body.get("into"):
            into[body["cluster"]] = body["into"]

    def is_covered(one: JudgedPage) -> bool:
        cluster = one.cluster or ""
        while cluster in into and ("cluster", cluster) not in spam:
            cluster = into[cluster]
        return ("cluster", cluster) in spam or ("host", one.page.domain) in spam

    return [replace(one, verdict="spam") if is_covered(one) else one for one in judged]


def to_place(page: CrawlPage, offset: int) -> PageToPlace:
    """Return a page of the crawl as the step takes it."""
    at_ms = int(page.fetched_at.timestamp() * 1000)
    return PageToPlace(
        Origin(*ORIGIN, offset),
        page.url,
        at_ms,
        page.body,
        content_type=page.content_type,
        status=page.status,
        domain=page.domain,
        nameservers=page.nameservers,
    )


def tally(judged: Iterable[JudgedPage]) -> Tally:
    """Return the count of right and wrong."""
    counted = Tally()
    for one in judged:
        counted.add(one)
    return counted
