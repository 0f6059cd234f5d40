"""The stream on a real Kafka broker and a real Valkey: nothing lost, nothing counted twice."""

import json
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from hss_stream.steps.events import event_id
from tests.conftest import require
from tests.kafka_broker import KafkaBroker, free_ports, missing_for_kafka
from tests.stream_harness import page_headers
from tests.stream_services import StreamSite, ValkeyServer, probe, wait_until

pytestmark = [pytest.mark.services, pytest.mark.slow]


@pytest.fixture(scope="session")
def kafka(tmp_path_factory):
    """Return a broker that runs as long as the tests."""
    missing = missing_for_kafka()
    require(missing is None, f"no {missing}: cannot start Kafka (see deploy/kafka)")
    broker = KafkaBroker(tmp_path_factory.mktemp("kafka"))
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
def site(kafka, tmp_path, request):
    """Return a site with topics of two partitions; its programs end with the test."""
    valkey = ValkeyServer(tmp_path / "valkey")
    valkey.start()
    made = StreamSite(kafka, valkey, request.node.name.replace("[", "-").replace("]", ""), tmp_path)
    made.create_topics()
    yield made
    made.stop_workers(signal.SIGKILL)
    valkey.kill()


def template(number: int) -> str:
    """Return a page of a template of its own: the marks inside its tags are drawn at random."""
    rng = random.Random(number)
    rows = ("".join(rng.choices("#%&()*+,-./:;=?@[]^_{|}~", k=24)) for _ in range(80))
    return "<html><body>" + "".join(f"<td data-x='{marks}'>word</td>" for marks in rows)


def make_pages(count: int, templates: int = 20) -> list[tuple[str, bytes, dict[str, str]]]:
    """Return pages of a few templates on domains of their own."""
    bodies = [template(number) for number in range(templates)]
    return [
        (f"http://site{n}.example/", bodies[n % templates].replace("word", f"w{n}").encode(), {})
        for n in range(count)
    ]


def expected_ids(site, pages, places):
    """Return the ids of the attachments an undisturbed run gives."""
    return {
        event_id(site.name, site.topics.pages, partition, offset, "attachment", url, "")
        for (url, _, _), (partition, offset) in zip(pages, places, strict=True)
    }


def attachments(site):
    """Return the attachments by id; the same id has the same bytes wherever it is seen."""
    found = {}
    for record in site.read(site.topics.attachments):
        event = orjson.loads(record.value)
        assert found.setdefault(event["id"], record.value) == record.value, "same id, other bytes"
    return {identity: orjson.loads(value) for identity, value in found.items()}


def kcat(site, *arguments: str) -> bytes:
    """Run kcat on the broker of a site; return what it prints."""
    command = ["kcat", "-b", site.broker.address, *arguments]
    return subprocess.run(command, check=True, capture_output=True, timeout=30).stdout


def test_kcat_speaks_with_us(site):
    """A second client writes what we read and reads what we write."""
    require(shutil.which("kcat"), "no kcat: make services")
    page = site.folder / "page.html"
    page.write_bytes(template(1).encode())
    url = "http://kcat.example/"
    headers = [part for name, value in page_headers(url) for part in ("-H", f"{name}={value.decode()}")]
    kcat(site, "-P", "-t", site.topics.pages, "-k", url, *headers, str(page))
    site.start_worker()
    site.wait_done()
    line = json.loads(kcat(site, "-C", "-t", site.topics.attachments, "-o", "beginning", "-e", "-q", "-J"))
    event = json.loads(line["payload"])

    assert (url, "opened") == (line["key"], event["outcome"])
    assert [site.name, site.topics.pages] == event["origin"][:2]


def test_worker_drains_and_tells(site):
    """A worker says when it is ready, exposes sound metrics, finishes its pages on SIGTERM and exits 0."""
    [port] = free_ports(1)
    pages = make_pages(300)
    places = site.produce(pages)
    site.start_worker(port)
    wait_until(lambda: probe(port, "/readyz")[0] == 200)
    site.wait_done()
    metrics = probe(port, "/metrics")[1]
    require(shutil.which("promtool"), "no promtool: make services")
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=metrics, text=True, capture_output=True, check=False
    )
    codes = site.stop_workers()

    assert 200 == probe(port, "/healthz")[0] or codes == [0]
    assert (0, "") == (checked.returncode, checked.stdout + checked.stderr)
    assert expected_ids(site, pages, places) == set(attachments(site))


POISON = {
    "http://poison.example/": (b"<p>", {}, "failed"),
    "http://killer.example/": (b"<p>", {}, "failed"),
    "http://headers.example/": (b"<p>", {"status": "many"}, "bad_headers"),
    "http://binary.example/": (b"\x89PNG\0\0" * 100, {}, "unsupported_type"),
}


def redrive(site) -> list[str]:
    """Send the failed letters of a site back; return the lines printed."""
    command = [Path(sys.executable).with_name("hss-stream"), "redrive", "--reason", "failed", "--json"]
    done = subprocess.run(command, env=site.settings(), capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_poison_dies_alone_and_comes_back(site):
    """Each poison page is one dead letter, the partition goes on, and redrive brings mended ones back."""
    site.environment = {"TEST_POISON": "poison", "TEST_KILLER": "killer", "HSS_WORKER__ATTEMPTS": "1"}
    pages = make_pages(60)
    for number, (url, (body, headers, _)) in enumerate(POISON.items(), 1):
        pages[10 * number] = (url, body, headers)
    site.produce(pages)
    site.start_worker()
    while site.lag():
        site.replace_ended()
    site.stop_workers()
    letters = [(record.key.decode(), dict(record.headers)) for record in site.read(site.topics.dead_letters)]
    site.environment = {}
    sent, again = redrive(site), redrive(site)
    site.start_worker()
    site.wait_done()

    assert {url: reason for url, (_, _, reason) in POISON.items()} == {
        url: headers["hss-reason"].decode() for url, headers in letters
    }
    assert 4 == len({headers["hss-id"] for _, headers in letters})
    actions = [json.loads(line)["action"] for line in sent]
    assert (2, 0) == (actions.count("sent"), len(again))
    assert 58 == len(attachments(site))


def test_kills_lose_and_double_nothing(site):
    """Workers, broker and store are killed under load: every page is placed once, with the same ids."""
    site.environment = {"TEST_RAISE_SHARE": "0.01"}
    pages = make_pages(2000)
    half = len(pages) // 2
    places = site.produce(pages[:half])
    workers = [site.start_worker(), site.start_worker()]
    wait_until(lambda: site.lag() < half)
    workers[0].kill()
    workers[0].wait()
    site.workers.remove(workers[0])
    places += site.produce(pages[half:])
    site.start_worker()
    site.valkey.kill()
    site.valkey.start()
    workers[1].terminate()
    site.broker.kill()
    site.broker.start()
    site.start_worker()
    while site.lag():
        site.replace_ended()
    found = attachments(site)
    clusters = {event["cluster"] for event in found.values()}

    assert expected_ids(site, pages, places) == set(found)
    assert [] == site.read(site.topics.dead_letters)
    assert 20 <= len(clusters) <= 40
