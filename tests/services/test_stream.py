"""The stream on a real Kafka broker and a real Valkey: nothing lost, nothing counted twice."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
import redis

from hss_stream.steps.events import event_id
from tests.conftest import require
from tests.kafka_broker import free_ports
from tests.services.stream_kills import trial
from tests.stream_harness import page_headers
from tests.stream_pages import make_pages, template
from tests.stream_services import StreamSite, ValkeyServer, probe, wait_until

pytestmark = [pytest.mark.services, pytest.mark.slow]


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


def test_worker_speaks_tells_and_drains(site):
    """Another client writes what we read and reads what we write; a worker tells how it is, and drains.

    It says when it is ready, exposes sound metrics, finishes its pages on SIGTERM and exits 0.
    """
    for program in ("kcat", "promtool"):
        require(shutil.which(program), f"no {program}: make services")
    page = site.folder / "page.html"
    page.write_bytes(template(1).encode())
    url = "http://kcat.example/"
    headers = [part for name, value in page_headers(url) for part in ("-H", f"{name}={value.decode()}")]
    kcat(site, "-P", "-t", site.topics.pages, "-k", url, *headers, str(page))
    [port] = free_ports(1)
    site.start_worker(port)
    wait_until(lambda: probe(port, "/readyz")[0] == 200)
    site.wait_done()
    line = json.loads(kcat(site, "-C", "-t", site.topics.attachments, "-o", "beginning", "-e", "-q", "-J"))
    event = json.loads(line["payload"])
    pages = make_pages(300)
    places = site.produce(pages)
    site.wait_done()
    metrics, health = probe(port, "/metrics")[1], probe(port, "/healthz")[0]
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=metrics, text=True, capture_output=True, check=False
    )

    assert ([0], 200) == (site.stop_workers(), health)
    assert (url, "opened") == (line["key"], event["outcome"])
    assert [site.name, site.topics.pages] == event["origin"][:2]
    assert (0, "") == (checked.returncode, checked.stdout + checked.stderr)
    assert expected_ids(site, pages, places) | {event["id"]} == set(attachments(site))


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


def test_kills_lose_and_double_nothing(kafka, tmp_path):
    """Workers, broker and store are killed under load: the same as if nobody had been disturbed."""
    del kafka  # only whether Kafka can run here; this trial starts and kills its own
    seen = trial(tmp_path, 800, 2, partitions=2, batch=32)

    assert [] == seen["broken"]
    assert (806, 2) == (seen["pages"], seen["letters"])
    assert seen["kills"] >= 1


def test_evicting_store_is_refused(site):
    """A store that may forget clusters is no store for a worker: it says so and exits 1."""
    with redis.Redis.from_url(site.valkey.url) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
    worker = site.start_worker()

    assert 1 == worker.wait(timeout=60)
    assert "maxmemory-policy is allkeys-lru" in (site.folder / "worker.log").read_text()


def test_recreated_topic_begins_anew(site):
    """A topic that was deleted and made anew has pages of its own, whatever the store knew of the old one."""
    for count in (30, 40):
        site.produce(make_pages(count))
        site.start_worker()
        site.wait_done()
        site.stop_workers()
        found = len(site.read(site.topics.attachments))
        site.recreate(site.topics.pages)

    assert 70 == found
