"""Name servers through the worker's own agents, on the embedded broker: pages, sites, verdicts, labels."""

from concurrent.futures import ThreadPoolExecutor

import orjson
import pytest

from hss_stream.app import create_worker
from hss_stream.settings import Settings
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.store.memory_providers import MemoryProviderStore
from hss_stream.stream.memory_log import MemoryLog
from tests.provider_pages import different, parked
from tests.stream_harness import Harness, page_headers

SITES = 60


class Worker:
    """Workers one after the other, on stores in memory and an embedded broker."""

    def __init__(self):
        self.log = MemoryLog(partitions=1)
        self.store = MemoryClusterStore()
        self.providers = MemoryProviderStore()
        # Signals of text take long, and these pages have none.
        self.settings = Settings(broker="memory://", worker={"signals": "style"})

    async def start(self, pool, commit_seconds=0.05):
        """Start the agents."""
        self.worker = create_worker(self.settings, self.store, pool, self.log, providers=self.providers)
        self.app = self.worker.stream.app
        self.app.conf.broker_commit_interval = commit_seconds
        await self.app.start()

    async def die(self):
        """End without committing anything: everything is delivered again."""
        self.app.consumer._ledgers.clear()
        await self.app.stop()
        self.log.committed.clear()

    async def feed(self, first=0):
        """Send the home pages of a farm and of a hoster."""
        for number in range(first, first + 2 * SITES):
            make, provider = (parked, "parking.test") if number % 2 else (different, "host.test")
            url = f"http://site{number}.example/"
            headers = page_headers(url, nameservers=f"ns1.{provider}", fetched_at="1700000000000")
            await self.log.append("hss.pages", url.encode(), make(number), headers=headers)

    async def done(self, topic, count):
        """Wait until that many records of a topic are committed."""
        await Harness.wait_for(lambda: self.log.committed.get((topic, 0), 0) >= count)

    def events(self, topic):
        """Return the bytes that were sent to a topic."""
        return [record.value for record in self.log.records(topic)]


@pytest.fixture
async def worker():
    """Return a running worker that has seen a farm and a hoster."""
    made = Worker()
    with ThreadPoolExecutor(1) as pool:
        made.pool = pool
        await made.start(pool)
        await made.feed()
        await made.done("hss.sites", 2 * SITES)
        yield made
        await made.app.stop()


async def test_providers_are_judged(worker):
    """Home pages become records by provider, and verdicts on `hss.nameservers` and `hss.alerts`."""
    found = [orjson.loads(value) for value in worker.events("hss.nameservers")]
    alerts = [orjson.loads(value) for value in worker.events("hss.alerts")]

    assert {"parking.test": "spam", "host.test": "clean"} == {one["provider"]: one["state"] for one in found}
    assert "parking.test" in {one["subject_id"] for one in alerts if one["subject"] == "nameserver"}
    counted = worker.worker.metrics.registry.get_sample_value
    assert 1 == counted("hss_provider_changes_total", {"state": "spam"})


async def test_redelivery_repeats_the_same_bytes():
    """A worker that dies before it commits: the same events with the same ids again, and sites count once."""
    made = Worker()
    with ThreadPoolExecutor(1) as pool:
        await made.start(pool, commit_seconds=3600.0)
        await made.feed()
        await Harness.wait_for(lambda: len(made.events("hss.nameservers")) == 2)
        await Harness.wait_for(lambda: len(made.events("hss.sites")) == 2 * SITES)
        before = made.events("hss.nameservers")
        await made.die()
        await made.start(pool)
        # The pages' records lie twice in the topic now.
        await made.done("hss.sites", 4 * SITES)
        await made.app.stop()
    records = [one async for one in made.providers.list_providers()]

    assert set(before) == set(made.events("hss.nameservers"))
    assert [SITES, SITES] == [orjson.loads(record.facts)["sites"] for record in records]


async def test_pages_of_a_listed_provider_are_spam(worker):
    """The next page of a listed provider is spam at once."""
    headers = page_headers("http://new.example/x", nameservers="ns9.parking.test")
    await worker.log.append("hss.pages", b"k", different(1), headers=headers)
    await worker.done("hss.pages", 2 * SITES + 1)
    last = orjson.loads(worker.events("hss.attachments")[-1])

    assert ("spam", "NS_SPAM") == (last["verdict"], last["reasons"][0]["name"])


async def test_labels_reach_their_provider(worker):
    """An editor's ham about a name server clears its provider; what is no name is refused."""
    fields = {"format": 1, "subject": "nameserver", "label": "ham", "role": "editor", "client": "desk"}
    for name in ("ns1.parking.test", "no name"):
        await worker.log.append("hss.labels", b"k", orjson.dumps({**fields, "id": name}))
    await worker.done("hss.sites", 2 * SITES + 1)
    last = orjson.loads(worker.events("hss.nameservers")[-1])

    assert ("parking.test", "clean", "ham", ["hss", "hss.labels", 0, 0]) == (
        last["provider"], last["state"], last["label"], last["origin"],
    )  # fmt: skip


async def test_foreign_records_are_dead_letters(worker):
    """What is no site record becomes a dead letter and stops nobody."""
    await worker.log.append("hss.sites", b"parking.test", b"nonsense")
    await worker.done("hss.sites", 2 * SITES + 1)
    [letter] = worker.log.records("hss.dead-letters")

    assert b"unreadable" == dict(letter.headers)["hss-reason"]
