"""The real step behind the embedded broker: pages in, attachments and clusters out."""

from concurrent.futures import ThreadPoolExecutor

import orjson
import pytest

from hss_stream.signals.page_scan import scan_page
from hss_stream.steps.place_page import PlacePages
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.stream.place_step import PlaceStep
from tests.stream_harness import Harness

ROW = (
    '<tr class="row-{0}"><td style="top:{0}px">item</td><td>&nbsp;<a href="/p?q={0}&amp;s=1">x</a></td></tr>'
)
TEMPLATE = "<html><body><table border='1'>" + "".join(ROW.format(number) for number in range(40)) + "</table>"


@pytest.fixture
async def harness():
    """Return a harness with the real step on a store in memory."""
    with ThreadPoolExecutor(2) as pool:
        place = PlacePages(MemoryClusterStore(), executor=pool)
        made = Harness()
        made.step = PlaceStep(place, "hss", pool, 2)
        yield made
        await made.stop()


def events(harness, topic):
    """Return the events of a topic in the order of their origins."""
    found = [orjson.loads(record.value) for record in harness.log.records(topic)]
    return sorted(found, key=lambda event: event["origin"])


async def test_pages_of_one_template_join(harness):
    """Pages made by one generator end in one cluster, and the events say so."""
    harness.log.create("hss.pages", 1)
    await harness.start()
    for number in range(30):
        body = TEMPLATE.replace("item", f"text {number}").encode()
        await harness.produce(f"http://site{number}.example/", body, fetched_at="1700000000000")
    await harness.produce("http://gone.example/", b"<p>", status="404")
    await harness.wait_committed(31)
    placed = events(harness, "hss.attachments")
    clusters = events(harness, "hss.clusters")

    assert ["opened", *["joined"] * 29, "http_error"] == [event["outcome"] for event in placed]
    assert 1 == len({event["cluster"] for event in placed[:30]})
    assert ["hss", "hss.pages", 0, 3] == placed[3]["origin"]
    assert "2023-11-14T22:13:20Z" == placed[3]["at"]
    assert "opened" == clusters[0]["change"]


async def test_large_body_joins_its_template(harness):
    """A body that came in parts is fingerprinted like one that came whole."""
    harness.log.create("hss.pages", 1)
    await harness.start()
    body = TEMPLATE.encode()
    await harness.produce("http://whole.example/", body)
    for part, chunk in enumerate([body[:1000], body[1000:1001], body[1001:]]):
        await harness.produce("http://parts.example/", chunk, body_id="b", part=str(part), parts="3")
    await harness.wait_committed(4)
    whole, parts = events(harness, "hss.attachments")

    filled = scan_page(body).style.slots_filled

    assert ("joined", filled, whole["cluster"]) == (
        parts["outcome"],
        parts["matching_slots"],
        parts["cluster"],
    )
    assert 3 == parts["origin"][3]
