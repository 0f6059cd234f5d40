"""Pages in on the embedded broker, attachments out: the same agents as on Kafka."""

import orjson
import pytest

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
