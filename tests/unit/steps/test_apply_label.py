"""Labels reach their clusters once, by id, fingerprint or remembered page, and say what they did."""

from dataclasses import replace

import pytest

from hss_stream.commands.clusters import cluster_history
from hss_stream.lab.crawl import plan_groups
from hss_stream.lab.crawl_page import fetch_time
from hss_stream.lab.judge_crawl import judge_crawl, to_place
from hss_stream.signals.fingerprint import Fingerprint
from hss_stream.steps.apply_label import ApplyLabels, LabelToApply
from hss_stream.steps.events import Origin
from hss_stream.steps.judge_nameservers import JudgeNameservers, PlacedRecord
from hss_stream.steps.judge_pages import TEXT_RULES, JudgePages, build_judge
from hss_stream.steps.site_record import SiteRecord
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.store.memory_providers import MemoryProviderStore
from hss_stream.verdicts.cluster_id import from_text


@pytest.fixture
async def world():
    """Return a step, its stores, and twenty judged pages of a doorway set."""
    stores = {"s": MemoryClusterStore(), "t": MemoryClusterStore(TEXT_RULES)}
    step = build_judge(stores["s"], stores["t"])
    group = next(g for g in plan_groups(seed=5, pages=3000, half="report") if g.kind == "parked")
    pages = [replace(group.page(index), fetched_at=fetch_time(index)) for index in range(40)]
    judged = await judge_crawl(step, pages[:20])
    return step, stores, pages, judged


def make_label(name, label="spam", *, offset=0, subject="cluster", role="editor", client="me"):
    """Return a label to apply."""
    fields = {"subject": subject, "id": name, "label": label, "role": role, "client": client}
    return LabelToApply(Origin("g", "hss.labels", 0, offset), 1_700_000_000_000, fields)


async def test_editors_label_spreads(world):
    """One label: an event, an alert for the cluster, one for each remembered page, and spam from then on."""
    step, stores, pages, judged = world
    [result] = await ApplyLabels(stores)([make_label(judged[0].cluster)])
    subjects = [event.body.get("subject", event.body["event"]) for event in result.events]
    after = await judge_crawl(step, pages[20:], first=20)

    assert "applied" == result.outcome
    assert ["cluster", "cluster", "page"] == subjects[:3]
    assert {"page"} == set(subjects[2:])
    assert {"spam"} == {one.verdict for one in after}


async def test_repeated_label_says_the_same(world):
    """A label delivered again, after others, changes nothing and gives the same bytes."""
    _, stores, _, judged = world
    labels = [make_label(judged[0].cluster), make_label(judged[0].cluster, "none", offset=1)]
    first = await ApplyLabels(stores)(labels)
    again = await ApplyLabels(stores)(labels)

    assert ["applied", "cleared"] == [result.outcome for result in first]
    assert first == again


async def test_contradicting_editors_are_shown(world):
    """Spam against ham comes out as a conflict, and ham stands."""
    _, stores, _, judged = world
    labels = [make_label(judged[0].cluster, word, offset=at) for at, word in enumerate(["ham", "spam"])]
    results = await ApplyLabels(stores)(labels)

    assert ["applied", "conflict"] == [result.outcome for result in results]
    assert "label_conflict" == results[1].events[0].body["change"]
    assert "ham" == results[1].events[0].body["label"]


async def test_crowd_of_one_is_no_quorum(world):
    """One client posing a thousand times is one voice; three clients are a quorum."""
    _, stores, _, judged = world
    step = ApplyLabels(stores, quorum=3)
    name = judged[0].cluster
    many = await step([make_label(name, offset=at, role="reporter") for at in range(1000)])
    others = [make_label(name, offset=1000 + at, role="reporter", client=f"c{at}") for at in range(2)]
    few = await step(others)

    assert {"counted", "unchanged"} == {result.outcome for result in many}
    assert ["counted", "applied"] == [result.outcome for result in few]


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        ("cluster", "s00000000ffffff03"),
        ("cluster", "x{}\n\0"),
        ("cluster", "t0000000000000001"),
        ("mail", "00" * 354),
        ("mail", "nonsense"),
        ("url", "https://nowhere.example/"),
        ("nameserver", "ns1.example.net"),
    ],
)
async def test_hostile_labels_are_refused(world, subject, name):
    """A label for nothing is refused with a reason and leaves no trace."""
    _, stores, _, _ = world
    [result] = await ApplyLabels(stores)([make_label(name, subject=subject)])

    assert "refused" == result.outcome
    assert result.why
    assert () == result.events


async def test_unknown_words_are_refused(world):
    """Neither label nor role may be anything but the known words."""
    _, stores, _, judged = world
    results = await ApplyLabels(stores)(
        [make_label(judged[0].cluster, "evil"), make_label(judged[0].cluster, role="god", offset=1)]
    )

    assert ["refused", "refused"] == [result.outcome for result in results]


async def test_remembered_page_finds_its_cluster(world):
    """A label by URL acts where the cluster remembers that page, never by the domain alone."""
    _, stores, pages, _ = world
    step = ApplyLabels(stores)
    [known] = await step([make_label(pages[0].url, subject="url")])
    [other] = await step([make_label(pages[0].url + "other", subject="url", offset=1)])

    assert "applied" == known.outcome
    assert "refused" == other.outcome


async def test_fingerprint_finds_its_text():
    """A page's fingerprint leads to its text cluster, with nothing stored about the page."""
    stores = {"s": MemoryClusterStore(), "t": MemoryClusterStore(TEXT_RULES)}
    step: JudgePages = build_judge(stores["s"], stores["t"])
    group = next(g for g in plan_groups(seed=5, pages=3000, half="report") if g.kind == "natural")
    pages = [replace(group.page(index), fetched_at=fetch_time(index)) for index in range(8)]
    scanned = await step.scan([to_place(page, at) for at, page in enumerate(pages)])
    placements = await step.place(scanned)
    at = next(at for at, placement in enumerate(placements) if placement.text_cluster)
    signals = scanned[at].signals
    mark = Fingerprint("page", int(signals.imatch["lexicon"], 16), signals.signatures())
    [result] = await ApplyLabels(stores)([make_label(mark.to_hex(), subject="url")])

    assert ("applied", placements[at].text_cluster) == (result.outcome, result.cluster)


async def test_label_of_a_name_server_goes_to_its_provider(world):
    """Where providers are kept, a label becomes a record for the provider's writer, the same each time."""
    _, stores, _, _ = world
    providers = MemoryProviderStore()
    label = make_label("NS1.Parking.example.", subject="nameserver")
    [result] = await ApplyLabels(stores, providers=providers)([label])
    [again] = await ApplyLabels(stores, providers=providers)([label])
    record = SiteRecord.from_bytes(result.events[0].encode())
    judge = JudgeNameservers(providers)
    [events] = await judge(1, [PlacedRecord(0, record)])

    assert result == again
    assert ("label", "parking.example", ("spam", "editor", "me")) == (
        record.kind,
        record.provider,
        record.vote,
    )
    assert "nameserver" == events[0].kind


async def test_history_is_shown(world):
    """`clusters show` tells who said what, and whom the cluster took over."""
    _, stores, _, judged = world
    labels = [make_label(judged[0].cluster, word, offset=at) for at, word in enumerate(["ham", "spam"])]
    await ApplyLabels(stores)(labels)
    space, cluster = from_text(judged[0].cluster)
    history = await cluster_history(stores[space], space, cluster)

    assert [("ham", "none", "ham"), ("spam", "ham", "ham")] == [
        (one["label"], one["before"], one["after"]) for one in history["labels"]
    ]
    assert {"me"} == {one["client"] for one in history["labels"]}
    assert [] == history["merged"]
