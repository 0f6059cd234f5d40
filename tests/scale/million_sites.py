"""A million generated sites on one provider: what it costs, and whether the verdict still moves.

    python -m tests.scale.million_sites [SITES]

Notes every site in an embedded server and judges it with the very step the stream uses, then feeds different
sites, a day's worth for each of 200 days. Prints one JSON object: bytes a provider and a domain record take
on the server, states with the number of sites at which they came, seconds.
"""

import asyncio
import json
import sys
import time

from hss_stream.signals.page_scan import scan_page
from hss_stream.signals.site_sample import Home
from hss_stream.signals.tag_structure import tag_structure
from hss_stream.steps.events import Origin
from hss_stream.steps.judge_nameservers import JudgeNameservers, PlacedRecord
from hss_stream.steps.site_record import SiteRecord
from hss_stream.store.address import StoreAddress
from hss_stream.store.embedded import EmbeddedServer
from hss_stream.store.layout import domain_hash
from hss_stream.store.provider_store import SiteNote
from hss_stream.store.redis_providers import RedisProviderStore
from hss_stream.store.server_facts import read_facts
from tests.provider_pages import DAY_MS, NOW_MS, different, parked

PROVIDER = "parking.test"
BATCH = 500
DIFFERENT_DAYS, DIFFERENT_A_DAY = 200, 100


def home(body):
    """Return a home page as evidence."""
    scan = scan_page(body)
    return Home(tag_structure(scan.tags, scan.tag_lengths))


async def feed(store, judge, first, homes, at_ms):
    """Note and judge sites; return the states that came."""
    provider = domain_hash(PROVIDER)
    notes, records = [], []
    for number, one in enumerate(homes, first):
        domain = f"site{number}.example"
        notes.append(SiteNote(number, at_ms // 1000, domain_hash(domain), True, (provider,), b"[]"))  # noqa: FBT003 - a home page
        origin = Origin("hss", "hss.pages", 0, number)
        record = SiteRecord("site", PROVIDER, origin, 1, at_ms, domain, one, ("ns1.parking.test",))
        records.append(PlacedRecord(number, record))
    await store.note(1, notes)
    made = await judge(2, records)
    await store.trim(1, first + len(notes))
    await store.trim(2, first + len(notes))
    return [
        (event.body["state"], event.body["sites"])
        for events in made
        for event in events
        if event.kind == "nameserver"
    ]


async def run(sites):
    """Run it all; return what was seen."""
    server = EmbeddedServer("")
    store = RedisProviderStore(StoreAddress(path=server.start()))
    await store.open()
    judge = JudgeNameservers(store)
    await store.meet({domain_hash(PROVIDER): PROVIDER}, NOW_MS // 1000)
    empty = (await read_facts(store.wire)).used_bytes
    kinds = [home(parked(number)) for number in range(3)]
    states, start = [], time.perf_counter()
    for first in range(0, sites, BATCH):
        batch = [kinds[number % 3] for number in range(first, min(first + BATCH, sites))]
        states += await feed(store, judge, first, batch, NOW_MS)
    spent = time.perf_counter() - start
    used = (await read_facts(store.wire)).used_bytes - empty
    stored = await store.read(domain_hash(PROVIDER))
    provider_bytes = len(stored.record.pack()) + len(stored.sample)
    for day in range(1, DIFFERENT_DAYS + 1):
        first = sites + day * DIFFERENT_A_DAY
        homes = [home(different(first + number)) for number in range(DIFFERENT_A_DAY)]
        states += await feed(store, judge, first, homes, NOW_MS + day * DAY_MS)
    await store.close()
    server.stop()
    return {
        "sites": sites, "states": states, "provider_bytes": provider_bytes,
        "bytes_per_domain": round((used - provider_bytes) / sites, 1),
        "sites_per_second": round(sites / spent),
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))))  # noqa: T201 - the report
