"""A provider that is judged shows in look-ups of its names and of the pages it serves, at once."""

from dataclasses import replace

import orjson
import pytest

from hss_stream.gateway.lookups import SpaceStores
from hss_stream.gateway.models import NameserverAnswer
from hss_stream.store.address import StoreAddress
from hss_stream.store.embedded import server_program
from hss_stream.store.layout import domain_hash
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.store.memory_providers import MemoryProviderStore
from hss_stream.store.provider_records import STATES, ProviderRecord
from hss_stream.store.redis_store import RedisClusterStore
from hss_stream.store.spaces import sibling_providers
from tests.contract.conftest import start_server
from tests.unit.gateway.running import running

AT = 1_700_000_000
PROVIDER = "bad.example"
EVENT = {
    "sites": 60, "average_radius": 0.1, "label": None,
    "clusters": [{"size": 9, "radius": 0.1, "mean_distance": 0.05, "center": "http://x/", "spam": True}],
    "reasons": [{"name": "NS_SPAM", "weight": 6.0, "facts": {"provider": PROVIDER}}],
}  # fmt: skip


async def judge(providers, state):
    """Give the provider a state, as the stream would."""
    found = await providers.read(domain_hash(PROVIDER))
    record = ProviderRecord(PROVIDER) if found is None else found.record
    event = EVENT if state == "spam" else {**EVENT, "reasons": []}
    changed = replace(record, state=STATES.index(state), event=orjson.dumps(event))
    assert await providers.save(domain_hash(PROVIDER), changed, b"", AT, ())


async def test_name_of_a_spam_provider_is_spam():
    """Any name of the provider gives its state, its sites and its reasons, in the shape of the model."""
    stores = SpaceStores(MemoryClusterStore(), providers=MemoryProviderStore())
    await judge(stores.providers, "spam")
    async with running(stores=stores) as gateway:
        _, _, answer = await gateway.get("/v1/nameserver/NS7.bad.example.")
        _, _, other = await gateway.get("/v1/nameserver/ns1.good.example")
        _, _, many = await gateway.call(
            "POST", "/v1/lookup", json={"names": ["ns1.bad.example", "a.example"]}
        )
        refused, _, _ = await gateway.get("/v1/nameserver/nodots")

        assert ("spam", "spam", 60) == (answer["verdict"], answer["state"], answer["sites"])
        assert "NS_SPAM" == answer["reasons"][0]["name"]
        assert NameserverAnswer.model_validate(answer)
        assert ("unknown", None) == (other["verdict"], other["state"])
        assert ["spam", "unknown"] == [one["verdict"] for one in many["names"]]
        assert 422 == refused


async def test_page_of_a_spam_provider_is_spam():
    """A page whose domain is served by a listed provider says so, whatever is on it."""
    stores = SpaceStores(MemoryClusterStore(), providers=MemoryProviderStore())
    await judge(stores.providers, "spam")
    async with running(stores=stores) as gateway:
        query = "/v1/page?url=http://new.example/&nameservers=ns1.fine.example,ns2.bad.example"
        headers = {"Content-Type": "text/html"}
        _, _, answer = await gateway.call("POST", query, data=b"<p>hello</p>", headers=headers)

        assert ("spam", ["NS_SPAM"]) == (answer["verdict"], [one["name"] for one in answer["reasons"]])


@pytest.fixture(scope="module")
def valkey(tmp_path_factory):
    """Run one Valkey."""
    process, path = start_server(server_program(), tmp_path_factory.mktemp("v"))
    yield path
    process.kill()
    process.wait()


async def test_change_of_a_provider_shows_at_once(valkey):
    """A kept answer ends when the store tells of a change, long before its time is over."""
    style = RedisClusterStore(StoreAddress(path=valkey))
    stores = SpaceStores(style, providers=sibling_providers(style))
    writer = sibling_providers(style)
    async with running(stores=stores, cache_seconds=3600) as gateway:
        for one in (*stores.all(), writer):
            await one.open()
        seen = []
        for state in ("spam", "watch", "clean"):
            await judge(writer, state)
            while (answer := await gateway.get("/v1/nameserver/ns1.bad.example"))[2]["state"] != state:
                pass
            await gateway.get("/v1/nameserver/ns1.bad.example")
            seen.append(answer[2]["verdict"])
        for one in (*stores.all(), writer):
            await one.close()

        assert ["spam", "unknown", "unknown"] == seen
        assert gateway.metric("hss_gateway_cache_total", outcome="hit") >= 3
