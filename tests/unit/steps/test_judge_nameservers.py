"""Pages in, provider states out: through notes, records and judgements, delivered once or often."""

import random

import pytest

from hss_stream.signals.site_sample import FAKE, NATURAL
from hss_stream.steps.events import Origin
from hss_stream.steps.judge_nameservers import JudgeNameservers, PlacedRecord
from hss_stream.steps.judge_pages import JudgePages, no_events
from hss_stream.steps.look_up_nameserver import LookUpNameserver
from hss_stream.steps.note_sites import NoteSites
from hss_stream.steps.place_page import PlacePages
from hss_stream.steps.provider_state import KnownState
from hss_stream.steps.site_record import SiteRecord
from hss_stream.store.layout import domain_hash
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.store.memory_providers import MemoryProviderStore
from tests.provider_pages import DAY_MS, NOW_MS, different, home_page, leading, parked

SITES_SOURCE = 99


class Providers:
    """A small stream without Kafka: pages are placed, their records judged, events kept."""

    def __init__(self):
        self.store = MemoryProviderStore()
        self.place = JudgePages(
            PlacePages(MemoryClusterStore(), events_of=no_events), sites=NoteSites(self.store)
        )
        self.judge = JudgeNameservers(self.store)
        self.records = []
        self.events = []
        self.attachments = {}

    async def feed(self, pages):
        """Place pages; queue their records, keep their other events."""
        for placement in await self.place(pages):
            for event in placement.events:
                if event.kind == "site":
                    self.records.append(SiteRecord.from_bytes(event.encode()))
                elif event.kind == "attachment":
                    self.attachments[event.body["url"]] = event.body
                elif event.kind == "lineage":
                    self.events.append(event.body)

    async def settle(self, batch=50):
        """Judge the queued records, as they lie in the topic."""
        queued = [PlacedRecord(offset, record) for offset, record in enumerate(self.records)]
        for start in range(0, len(queued), batch):
            for events in await self.judge(SITES_SOURCE, queued[start : start + batch]):
                self.events += [event.body for event in events]

    async def state_of(self, provider):
        """Return what the store says of a provider."""
        [record] = await self.store.read_heads([domain_hash(provider)])
        return record.state_name

    async def sites_of(self, provider):
        """Return the sampled domains of a provider."""
        return set(KnownState.of_stored(await self.store.read(domain_hash(provider))).sample.sites)


@pytest.fixture
def stream():
    """Return an empty stream."""
    return Providers()


def sites(make, count, *names, first=0, **more):
    """Return home pages of different sites."""
    return [
        home_page(first + number, f"site{first + number}.example", make(number), names, **more)
        for number in range(count)
    ]


async def test_parking_provider_is_listed(stream):
    """A provider of generated sites is spam once enough are known, with evidence, event and alert."""
    await stream.feed(sites(parked, 60, "ns1.parking.test", "ns2.parking.test"))
    await stream.settle()
    [event, alert] = stream.events

    assert ("spam", "too_few", 48, "structure") == (
        event["state"], event["previous"], event["sites"], event["decided_by"],
    )  # fmt: skip
    assert ["ns1.parking.test", "ns2.parking.test"] == event["nameservers"]
    assert ["hss", "hss.pages", 0, 47] == event["origin"] == alert["origin"]
    assert ("nameserver", "parking.test", "critical", "spam") == (
        alert["subject"], alert["subject_id"], alert["severity"], alert["verdict"],
    )  # fmt: skip
    assert ["NS_TEMPLATE"] == [reason["name"] for reason in event["reasons"]]
    assert event["counterfactual"]["sites"] == len(event["counterfactual"]["domains"]) == 1


async def test_hoster_is_clean(stream):
    """Different sites make no farm, and a provider with few sites is not judged."""
    await stream.feed(sites(different, 60, "ns.host.test"))
    await stream.feed(sites(parked, 40, "ns.small.test", first=100))
    await stream.settle()

    assert ["clean"] == [event["state"] for event in stream.events]
    assert "too_few" == await stream.state_of("small.test")


async def test_pages_of_a_listed_provider_are_spam(stream):
    """From then on every page of its sites gets NS_SPAM, whatever it looks like."""
    await stream.feed(sites(parked, 60, "ns1.parking.test"))
    await stream.settle()
    inner = home_page(900, "fresh.example", different(1), ["ns9.parking.test"], path="/inner?x=1")
    await stream.feed([inner])
    found = stream.attachments["http://fresh.example/inner?x=1"]

    assert "spam" == found["verdict"]
    assert {"provider": "parking.test"} == found["reasons"][0]["facts"]
    assert "NS_SPAM" == found["reasons"][0]["name"]


async def test_lookup_answers_from_the_name(stream):
    """A name server is enough to know its provider; an unknown one is unknown."""
    await stream.feed(sites(parked, 60, "ns1.parking.test"))
    await stream.settle()
    look_up = LookUpNameserver(stream.store)
    found = await look_up("NS7.parking.test.")

    assert ("parking.test", "spam", "spam", 60) == (
        found.provider, found.state, found.verdict.verdict, found.sites,
    )  # fmt: skip
    assert ("unknown", None) == ((await look_up("ns1.other.test")).verdict.verdict, None)
    assert "parking.test" == await look_up.spam_provider(["ns.other.test", "x.parking.test"])


async def test_redirects_are_a_farm(stream):
    """Many domains that lead to one parking page are a farm; leading to many places is not."""
    await stream.feed(sites(leading, 60, "ns.park.test"))
    await stream.feed(sites(lambda n: leading(n, f"http://t{n}.example/"), 60, "ns.forward.test", first=100))
    await stream.settle()

    assert "spam" == await stream.state_of("park.test")
    assert "spam" != await stream.state_of("forward.test")
    event = next(event for event in stream.events if event["event"] == "nameserver")
    assert ["NS_REDIRECTS"] == [reason["name"] for reason in event["reasons"]]
    assert ("redirect", "http://park.example/") == (
        event["clusters"][0]["kind"], event["clusters"][0]["center"],
    )  # fmt: skip


async def test_default_pages_prove_nothing(stream):
    """Near-empty pages, errors and server defaults are alike by accident and kept apart."""
    nginx = b"<title>Welcome to nginx!</title>" + b"<p>x</p>" * 20
    await stream.feed(sites(lambda _: nginx, 60, "ns.new.test"))
    await stream.feed(sites(lambda _: b"<p>soon", 60, "ns.new.test", first=100))
    await stream.feed(sites(parked, 60, "ns.new.test", first=200, status=503))
    await stream.settle()

    assert "too_few" == await stream.state_of("new.test")
    assert 120 == len(await stream.sites_of("new.test"))


async def test_sites_move(stream):
    """A site that changed one of two providers counts right in all three, and its lineage is told."""
    await stream.feed([home_page(0, "a.example", parked(0), ["ns.one.test", "ns.two.test"])])
    await stream.feed([home_page(1, "a.example", parked(0), ["ns.one.test", "ns.three.test"])])
    await stream.settle()
    found = {name: await stream.sites_of(f"{name}.test") for name in ("one", "two", "three")}

    assert {"one": {"a.example"}, "two": set(), "three": {"a.example"}} == found
    [lineage] = stream.events
    assert ("lineage", "a.example", ["one.test", "two.test"], ["one.test", "three.test"]) == (
        lineage["event"], lineage["domain"], lineage["from"], lineage["to"],
    )  # fmt: skip


async def test_page_sent_twice_counts_once(stream):
    """A page delivered again sends the same records, and records that lie twice in the topic count once."""
    pages = sites(parked, 60, "ns.parking.test")
    await stream.feed(pages)
    first = list(stream.records)
    await stream.feed(pages)

    assert first == stream.records[60:]
    await stream.settle()
    assert 2 == len(stream.events)
    assert 48 == stream.events[0]["sites"]
    assert 120 == stream.judge.counts.outcomes["site"] + stream.judge.counts.outcomes["repeated"]


@pytest.mark.parametrize("seed", range(4))
async def test_kills_change_nothing(stream, seed):
    """Cut off anywhere and delivered again in other batches, states, events and ids are the same."""
    chance = random.Random(seed)
    pages = sites(parked, 70, "ns.parking.test") + sites(different, 70, "ns.host.test", first=100)
    chance.shuffle(pages)
    pages = [
        home_page(place, page.url.split("/")[2], page.body, page.nameservers)
        for place, page in enumerate(pages)
    ]
    await stream.feed(pages)
    await stream.settle()
    again = Providers()
    await again.feed(pages)
    queued = [PlacedRecord(offset, record) for offset, record in enumerate(again.records)]
    seen, start = {}, 0
    while start < len(queued):
        end = start + chance.randint(1, 40)
        # A worker that dies has saved what it saved; the next one knows nothing but the store.
        judge = JudgeNameservers(again.store)
        events = await judge(SITES_SOURCE, queued[start:end])
        seen |= {event.body["id"]: event.body for some in events for event in some}
        start = max(0, end - chance.randint(0, 25)) if chance.random() < 0.7 else end

    assert {event["id"]: event for event in stream.events} == seen


async def test_zombies_undo_nothing(stream):
    """A worker that lost its partition but does not know it is refused, and ends with the same state."""
    await stream.feed(sites(parked, 60, "ns.parking.test"))
    queued = [PlacedRecord(offset, record) for offset, record in enumerate(stream.records)]
    one, two = JudgeNameservers(stream.store), JudgeNameservers(stream.store)
    await one(SITES_SOURCE, queued[:30])
    await two(SITES_SOURCE, queued[:45])
    late = await one(SITES_SOURCE, queued[30:60])
    again = await two(SITES_SOURCE, queued[45:])

    assert [some for some in late if some] == [some for some in again if some]
    assert 60 == len(await stream.sites_of("parking.test"))


def label(offset, word, role="editor", client="ed"):
    """Return somebody's word about the parking provider."""
    origin = Origin("hss", "hss.labels", 0, offset)
    return SiteRecord("label", "parking.test", origin, 7, NOW_MS, vote=(word, role, client))


async def test_labels_win(stream):
    """An editor's ham clears a listed provider and is shown; taken back, structure decides again."""
    await stream.feed(sites(parked, 60, "ns.parking.test"))
    stream.records += [label(0, "ham"), label(1, "none")]
    await stream.settle()
    states = [(one["state"], one["label"], one["decided_by"]) for one in stream.events if "state" in one]

    assert [("spam", None, "structure"), ("clean", "ham", "label"), ("spam", None, "structure")] == states
    assert ["NS_HAM"] == [one["name"] for one in stream.events[2]["reasons"]]


async def test_reporters_need_a_quorum(stream):
    """Three clients who agree list a provider, one does not, however often it says so."""
    stream.records += [label(number, "spam", "reporter", "one") for number in range(5)]
    await stream.settle()
    assert "too_few" == await stream.state_of("parking.test")
    stream.records += [label(9, "spam", "reporter", "two"), label(10, "spam", "reporter", "three")]
    await stream.settle()

    assert "spam" == await stream.state_of("parking.test")
    assert ["NS_LABELLED"] == [one["name"] for one in stream.events[0]["reasons"]]


async def test_sub_domains_count_once(stream):
    """One site under thousands of sub-domains is one site."""
    await stream.feed([home_page(n, f"s{n}.big.example", parked(n), ["ns.parking.test"]) for n in range(300)])
    await stream.settle()

    assert {"big.example"} == await stream.sites_of("parking.test")


async def test_flood_does_not_list_a_hoster(stream):
    """A registrant who floods a hoster of many different sites gets his own sites flagged, not the hoster."""
    await stream.feed(sites(different, 150, "ns.host.test"))
    await stream.feed(sites(parked, 800, "ns.host.test", first=1000))
    await stream.settle()
    last = [event for event in stream.events if event["event"] == "nameserver"][-1]

    assert "watch" == last["state"]
    assert any(cluster["spam"] for cluster in last["clusters"])


async def test_verdict_follows_the_mix(stream):
    """A farm whose sites fade while different ones come is delisted, and hysteresis delays it."""
    await stream.feed(sites(parked, 100, "ns.p.test"))
    for month in range(1, 8):
        at = NOW_MS + month * 30 * DAY_MS
        await stream.feed(
            sites(lambda n, m=month: different(1000 * m + n), 40, "ns.p.test", first=1000 * month, at_ms=at)
        )
    await stream.settle()
    states = [event["state"] for event in stream.events if event["event"] == "nameserver"]

    assert "spam" == states[0]
    assert "clean" == states[-1]


@pytest.mark.parametrize(("flags", "state"), [(NATURAL, "watch"), (0, "spam"), (FAKE, "spam")])
async def test_text_decides_where_structure_cannot(stream, flags, state):
    """Sites alike but not nearly identical are a theme when their texts read natural."""
    await stream.feed(sites(themed, 80, "ns.theme.test"))
    stream.records = [_with_flags(record, flags) for record in stream.records]
    await stream.settle()

    assert state == await stream.state_of("theme.test")


def themed(number):
    """Return a page of a theme: fixed parts around contents of its own."""
    frame = "<header><nav><ul>" + "<li><a>x</a></li>" * 30 + "</ul></nav></header>"
    return f"<html><body>{frame}{different(number).decode()}<footer><p>x</p></footer></body></html>".encode()


def _with_flags(record, flags):
    """Return a site record with what the language model said."""
    body = record.to_event().body
    return SiteRecord.from_json({**body, "home": {**body["home"], "flags": flags}})


@pytest.mark.parametrize("value", [None, b"", b"{}", b"[]", b"\xff", b'{"format": 2}'])
def test_foreign_records_are_refused(value):
    """Only our own records are read."""
    with pytest.raises(Exception, match="reading a site record"):
        SiteRecord.from_bytes(value)


async def test_partitions_in_any_order_end_alike():
    """Pages of several partitions, interleaved and repeated at random, give the same final states."""
    finals = []
    for seed in range(2):
        chance = random.Random(seed)
        queues = {}
        for place in range(12 * 55):
            provider, number = place % 12, place // 12
            make = parked if provider % 2 else different
            names = [f"ns.p{provider}.test"]
            page = home_page(
                place // 4, f"s{place}.example", make(place + number), names, partition=place % 4
            )
            queues.setdefault(page.origin.partition, []).append(page)
        run = Providers()
        while any(queues.values()):
            queue = queues[chance.choice([one for one in queues if queues[one]])]
            some, queue[:] = queue[:100], queue[100:]
            await run.feed(some)
            if chance.random() < 0.3:
                await run.feed(some)
        await run.settle()
        finals.append([await run.state_of(f"p{provider}.test") for provider in range(12)])

    for other in finals[1:]:
        same = sum(one == two for one, two in zip(finals[0], other, strict=True))
        assert same >= 0.98 * 12
    assert {"spam", "clean"} == set(finals[0])
