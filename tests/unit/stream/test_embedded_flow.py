"""Pages in on the embedded broker, attachments out: the same agents as on Kafka."""

import hashlib

import orjson
import pytest

from hss_stream.store.page_marks import Partition
from tests.stream_harness import Harness


@pytest.fixture
async def harness():
    """Return a harness whose worker is stopped at the end."""
    made = Harness()
    yield made
    await made.stop()


async def test_pages_become_attachments(harness):
    """Every page gives one attachment with its origin, and is committed."""
    await harness.start()
    for number in range(300):
        await harness.produce(f"http://a{number}.example/", b"<p>page</p>")
    await harness.wait_committed(300)
    urls = [orjson.loads(record.value)["url"] for record in harness.log.records("hss.attachments")]

    assert sorted(f"http://a{number}.example/" for number in range(300)) == sorted(urls)


async def test_raising_page_is_isolated(harness):
    """A page whose step raises every time becomes a dead letter; its neighbours are placed."""
    harness.step.poison = {"http://a7.example/"}
    for number in range(20):
        await harness.produce(f"http://a{number}.example/", b"<p>page</p>")
    await harness.start()
    await harness.wait_committed(20)
    (letter,) = harness.log.records("hss.dead-letters")
    headers = dict(letter.headers)

    assert 19 == len(harness.log.records("hss.attachments"))
    assert (b"failed", b"ValueError", b"3") == tuple(
        headers[name] for name in ("hss-reason", "hss-error", "hss-attempts")
    )
    assert b"http://a7.example/" == headers["url"]
    assert b"<p>page</p>" == letter.value


async def test_store_outage_is_waited_out(harness):
    """While the store is away nothing is lost, committed or dead; afterwards all goes on."""
    harness.step.away = True
    for number in range(50):
        await harness.produce(f"http://a{number}.example/", b"<p>page</p>")
    await harness.start()
    await harness.wait_for(lambda: harness.step.calls > 2)
    committed_meanwhile = harness.committed()
    waiting = harness.stream.parts.patience.waiting_for
    harness.step.away = False
    await harness.wait_committed(50)

    assert (0, "store") == (committed_meanwhile, waiting)
    assert 50 == len(harness.log.records("hss.attachments"))
    assert [] == harness.log.records("hss.dead-letters")


async def test_restart_repeats_the_same_bytes(harness):
    """Pages delivered again give the same ids with the same bytes, and count once."""
    await harness.start()
    for number in range(40):
        await harness.produce(f"http://a{number}.example/", b"<p>page</p>", fetched_at="1700000000000")
    await harness.wait_for(lambda: len(harness.log.records("hss.attachments")) == 40)
    harness.app.consumer._ledgers.clear()  # a worker that dies before it commits
    await harness.stop()
    harness.log.committed.clear()
    await harness.start()
    await harness.wait_committed(40)
    values = [record.value for record in harness.log.records("hss.attachments")]

    assert 40 == len(set(values)) == len(harness.step.counted)


POISON = [
    ({"format": "9"}, b"<p>", b"bad_headers"),
    ({"status": "many"}, b"<p>", b"bad_headers"),
    ({"content_type": "image/png"}, b"<p>", b"unsupported_type"),
    ({}, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"x" * 600, b"unsupported_type"),
    ({}, None, b"unreadable"),
    ({}, b"<p>" + b"x" * (10 << 20), b"oversized"),
    ({"body_id": "b", "part": "1", "parts": "2"}, b"<p>", b"unreadable"),
]


async def test_poison_becomes_letters(harness):
    """What cannot be read is a dead letter with its reason and origin, once; its neighbours go on."""
    for number, (headers, body, _) in enumerate(POISON):
        await harness.produce(f"http://good{number}.example/", b"<p>")
        await harness.produce(f"http://poison{number}.example/", body, **headers)
    await harness.start()
    await harness.wait_committed(2 * len(POISON))
    letters = {record.key: record for record in harness.log.records("hss.dead-letters")}
    origins = {dict(letter.headers)["hss-origin"] for letter in letters.values()}

    assert len(POISON) == len(harness.log.records("hss.attachments"))
    assert len(POISON) == len(harness.log.records("hss.dead-letters")) == len(origins)
    for number, (_, body, reason) in enumerate(POISON):
        letter = letters[b"http://poison%d.example/" % number]
        ours = dict(letter.headers)
        assert reason == ours["hss-reason"]
        assert (len(body or b"") > 9 << 20) == ("hss-truncated" in ours)
        assert hashlib.sha256(body or b"").hexdigest().encode() == ours["hss-sha256"]


async def test_large_body_arrives_whole(harness):
    """Interleaved bodies in parts are placed once each, with the bytes of all their parts."""
    await harness.start()
    urls = ["http://a.example/", "http://b.example/"]
    for part in range(3):
        for url in urls:
            numbers = {"body_id": url, "part": str(part), "parts": "3"}
            await harness.produce(url, b"%d" % part * 1000, **numbers)
    await harness.wait_committed(6)

    assert dict.fromkeys(urls, b"0" * 1000 + b"1" * 1000 + b"2" * 1000) == harness.step.bodies


async def test_unfinished_body_holds_the_commit(harness):
    """Nothing is committed past the first part of an unfinished body, yet later pages are placed."""
    harness.log.create("hss.pages", 1)
    await harness.start()
    await harness.produce("http://a.example/", b"<p>")
    await harness.produce("http://large.example/", b"<p>", body_id="b", part="0", parts="2")
    for number in range(5):
        await harness.produce(f"http://later{number}.example/", b"<p>")
    await harness.wait_for(lambda: len(harness.log.records("hss.attachments")) == 6)
    await harness.wait_committed(1)
    held = harness.committed()
    await harness.produce("http://large.example/", b"</p>", body_id="b", part="1", parts="2")
    await harness.wait_committed(8)

    assert 1 == held
    assert b"<p></p>" == harness.step.bodies["http://large.example/"]


async def test_page_that_ends_its_worker_dies_alone(harness):
    """Marks left by workers that ended while reading a page make it a dead letter, and only it."""
    harness.log.create("hss.pages", 1)
    for number in range(3):
        await harness.produce(f"http://a{number}.example/", b"<p>")
    await harness.marks.mark(Partition("hss.pages", 0), 1, 1, 3)
    await harness.start()
    await harness.wait_committed(3)
    (letter,) = harness.log.records("hss.dead-letters")
    ours = dict(letter.headers)

    assert (b"failed", b"3", b"http://a1.example/") == (ours["hss-reason"], ours["hss-attempts"], ours["url"])
    assert 2 == len(harness.log.records("hss.attachments"))


async def test_rebalance_loses_nothing(harness):
    """Giving all partitions up and taking them again in the middle of a stream loses no page."""
    await harness.start()
    for number in range(400):
        await harness.produce(f"http://a{number}.example/", b"<p>page</p>")
        if number % 100 == 50:
            await harness.app.consumer.rebalance()
    await harness.wait_committed(400)

    assert 400 == len(set(harness.step.counted.values()))


async def test_fast_producer_is_held_back():
    """A broker in memory with little room makes producers wait instead of growing."""
    harness = Harness()
    harness.log.max_bytes = 50_000
    await harness.start()
    for number in range(100):
        await harness.produce(f"http://a{number}.example/", b"x" * 5_000)
    await harness.wait_committed(100)
    await harness.stop()

    assert 100 == len(harness.step.counted)
