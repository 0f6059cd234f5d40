"""Judged pages: verdicts and alerts that repeat byte by byte, whatever the batches; labels that spread."""

import hashlib
import itertools
from dataclasses import replace

import pytest

from hss_stream.lab.crawl import generate_crawl, plan_groups
from hss_stream.lab.crawl_page import fetch_time
from hss_stream.lab.judge_crawl import judge_crawl, tally, to_place
from hss_stream.steps.judge_pages import TEXT_RULES, JudgePages, no_events
from hss_stream.steps.page_verdict import AllowLists
from hss_stream.steps.place_page import PlacePages
from hss_stream.steps.read_signals import TextSignals
from hss_stream.store.effects import Vote
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.verdicts.cluster_id import from_text, shard_of


def stub_signals(text):
    """Return signals without models: texts of equal first words match, those with sales words are fake."""
    words = text.split()
    fake = sum(word in {b"cheap", b"buy", b"discount", b"deals", b"offer"} for word in words)
    first = [words[at : at + 6] for at in range(11)]
    signatures = [hashlib.blake2b(b" ".join(some), digest_size=8).hexdigest() for some in first]
    verdict = "too_short" if len(words) < 100 else "fake" if fake >= 3 else "natural"
    return TextSignals(
        {"lexicon": "0000000000000001", "signatures": signatures if len(words) > 20 else [None] * 11},
        {"verdict": verdict, "tokens": len(words), "fakeness": 0.9 if verdict == "fake" else 0.1,
         "spans": [{"text": "cheap offer", "penalty": 9.0}]},
    )  # fmt: skip


def make_step(stores=None, lists=None):
    """Return a step on new stores in memory (or on those given), and the stores."""
    style, text = stores or (MemoryClusterStore(), MemoryClusterStore(TEXT_RULES))
    placed = PlacePages(style, events_of=no_events, read_signals=stub_signals)
    documents = PlacePages(text, TEXT_RULES, space="t", events_of=no_events)
    return JudgePages(placed, documents, lists=lists), (style, text)


def wire(placements):
    """Return all events as they leave."""
    return [event.encode() for placement in placements for event in placement.events]


async def to_scanned(step, pages):
    """Return pages of a crawl, scanned."""
    return await step.scan([to_place(page, at) for at, page in enumerate(pages)])


@pytest.fixture(scope="module")
def pages():
    """Return a small crawl."""
    return list(generate_crawl(seed=5, pages=600))


async def test_redelivered_pages_say_the_same(pages):
    """Delivered again to another worker, pages give the same attachments and alerts, byte by byte."""
    step, stores = make_step()
    scanned = await to_scanned(step, pages)
    first = await step.place(scanned)
    again = await make_step(stores)[0].place(scanned)

    assert wire(first) == wire(again)
    assert any(event.kind == "alert" for placement in first for event in placement.events)


@pytest.mark.parametrize("size", [1, 7, 250])
async def test_batches_do_not_change_verdicts(pages, size):
    """Any batches give the same events: verdicts are those of pages judged one by one."""
    whole, _ = make_step()
    scanned = await to_scanned(whole, pages[:300])
    cut, _ = make_step()
    placements = []
    for start in range(0, len(scanned), size):
        placements += await cut.place(scanned[start : start + size])

    assert wire(await whole.place(scanned)) == wire(placements)


async def test_crash_between_spaces_is_healed(pages):
    """A worker that dies after the style space and before the text space leaves nothing undone or doubled."""
    clean, _ = make_step()
    scanned = await to_scanned(clean, pages[:200])
    expected = wire(await clean.place(scanned))
    step, stores = make_step()
    await step.style.place(scanned)
    healed = await make_step(stores)[0].place(scanned)

    assert expected == wire(healed)


async def test_alert_ids_are_unique(pages):
    """No two alerts share an id."""
    step, _ = make_step()
    alerts = []
    await judge_crawl(step, pages, alerts=alerts)
    ids = [event.body["id"] for event in alerts]

    assert ids
    assert len(ids) == len(set(ids))


async def test_labelled_farm_is_found_from_then_on():
    """One label on a farm's cluster makes every later page of it spam; the cluster alerts no second time."""
    farm = next(g for g in plan_groups(seed=5, pages=3000, half="report") if g.kind == "parked")
    members = [replace(farm.page(index), fetched_at=fetch_time(index)) for index in range(60)]
    step, (style, _) = make_step()
    before = await judge_crawl(step, members[:20])
    _, cluster = from_text(before[-1].cluster)
    await style.apply(77, {shard_of(cluster): [Vote(0, 0, "s", cluster, 1, 0, 3, 1)]})
    alerts = []
    after = await judge_crawl(step, members[20:], first=20, alerts=alerts)

    assert {"unknown"} == {one.verdict for one in before}
    assert {"spam"} == {one.verdict for one in after}
    assert ["page"] * 40 == [event.body["subject"] for event in alerts]


async def test_allow_listed_domain_is_ham(pages):
    """The operator's list is the last word on a domain."""
    listed = next(page for page in pages if page.kind == "farm_fake").domain
    step, _ = make_step(lists=AllowLists(domains=frozenset({listed})))
    judged = await judge_crawl(step, pages)

    assert {"ham"} == {one.verdict for one in judged if one.page.domain == listed}


async def test_links_alone_find_farms():
    """Without labels and without a language model, farms are found by their links and nothing honest is."""
    step = JudgePages(PlacePages(MemoryClusterStore(), events_of=no_events))
    judged = await judge_crawl(step, generate_crawl(seed=1, pages=2000))
    counted = tally(judged)
    farms = tally(one for one in judged if "farm" in one.page.kind or one.page.kind == "doorway")

    assert counted.precision >= 0.99
    assert farms.recall >= 0.6


async def test_events_have_the_promised_fields(pages):
    """An attachment tells both clusters, the language model's word and the verdict; an alert tells why."""
    step, _ = make_step()
    placements = await step.place(await to_scanned(step, pages[:200]))
    events = [event.body for placement in placements for event in placement.events]
    attachment = next(e for e in events if e["event"] == "attachment" and e["text_cluster"])
    alert = next(e for e in events if e["event"] == "alert")

    assert attachment["text_cluster"].startswith("t")
    assert {"matching", "of"} == set(attachment["imatch"])
    assert "spans" not in attachment["faketext"]
    assert attachment["score"] == sum(reason["weight"] for reason in attachment["reasons"])
    assert {"subject", "subject_id", "severity", "score", "verdict", "reasons", "evidence"} <= set(alert)
    assert list(itertools.islice(alert["evidence"]["urls"], 1))
