"""Verdicts on real pages: doorways raise an alert without a label, manuals do not, however they link."""

import posixpath
import random
import re

import pytest

from hss_stream.lab.crawl_page import CrawlPage, fetch_time
from hss_stream.lab.judge_crawl import judge_crawl
from hss_stream.steps.judge_pages import TEXT_RULES, build_judge
from hss_stream.store.memory import MemoryClusterStore

REWRITTEN = 0.5
HREF = re.compile(rb'href="(?!https?:|#|mailto:|javascript:)([^"#?]+)', re.IGNORECASE)


def spread_pages(folder, files, domains, kind, truth):
    """Return pages on simulated domains, half of their inner links led to the domains of other pages."""
    chance = random.Random(1)
    names = [str(path.relative_to(folder)) for path in files]
    home = {name: f"simulated{at % domains}.com" for at, name in enumerate(names)}
    pages = []
    for at, (path, name) in enumerate(zip(files, names, strict=True)):

        def led(match, name=name):
            written = match[1].decode("utf-8", "replace")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), written))
            if chance.random() >= REWRITTEN:
                return match[0]
            domain = home.get(target) or f"simulated{chance.randrange(domains)}.com"
            return b'href="http://%b/%b' % (domain.encode(), match[1])

        body = HREF.sub(led, path.read_bytes())
        url = f"http://{home[name]}/{at}.html"
        pages.append(CrawlPage(url, body, kind, truth, None, home[name], kind, fetched_at=fetch_time(at)))
    chance.shuffle(pages)
    return pages


async def cluster_alerts(pages):
    """Return the alerts about clusters and the verdicts that pages raise without any label."""
    step = build_judge(MemoryClusterStore(), MemoryClusterStore(TEXT_RULES))
    alerts = []
    judged = await judge_crawl(step, pages, alerts=alerts)
    return [event.body for event in alerts if event.body["subject"] == "cluster"], judged


async def test_doorways_raise_an_alert(evaluation_data):
    """A thousand doorways on a thousand domains: one cluster alert, after at most 400 pages."""
    folder = evaluation_data / "pages-doorway"
    files = sorted(folder.glob("pages/*.html"))
    alerts, judged = await cluster_alerts(spread_pages(folder, files, len(files), "doorway", "spam"))
    found = sum(one.verdict == "spam" for one in judged)

    assert len(alerts) == 1
    assert alerts[0]["origin"][3] <= 400
    assert found >= 0.6 * len(judged)


@pytest.mark.parametrize("order", ["sorted", "shuffled"])
async def test_manuals_raise_none(evaluation_data, order):
    """Manuals of 28 generators on 500 domains, linked in the same proportion, raise no cluster alert."""
    folder = evaluation_data / "pages-debian-docs"
    files = sorted(folder.rglob("*.html"))
    if order == "shuffled":
        random.Random(2).shuffle(files)
    alerts, judged = await cluster_alerts(spread_pages(folder, files, 500, "manual", "clean"))
    spam = [one for one in judged if one.verdict == "spam"]

    assert [] == alerts
    assert [] == spam
