"""What the operator vouches for is said of look-ups as in the stream."""

from hss_stream.gateway.lookups import SpaceStores
from hss_stream.lab.crawl_mail import generate_mail
from hss_stream.steps.judge_pages import TEXT_RULES
from hss_stream.steps.page_verdict import AllowLists
from hss_stream.store.memory import MemoryClusterStore
from tests.unit.gateway.campaign import label_campaign
from tests.unit.gateway.running import running

MAIL = {"Content-Type": "message/rfc822"}


async def test_listed_domain_is_ham():
    """A domain the operator vouches for is ham, also where nothing else is known of it."""
    async with running(lists=AllowLists(frozenset({"a.example"}))) as gateway:
        _, _, listed = await gateway.get("/v1/url?url=http://www.a.example/x")
        _, _, other = await gateway.get("/v1/url?url=http://b.example/x")

        assert ("ham", ["ALLOW_LISTED"]) == (listed["verdict"], [one["name"] for one in listed["reasons"]])
        assert "unknown" == other["verdict"]


async def test_listed_campaign_is_no_evidence():
    """A campaign called spam is spam, until the operator vouches for it."""
    stores = SpaceStores(MemoryClusterStore(), None, MemoryClusterStore(TEXT_RULES))
    raw = next(mail.raw for mail in generate_mail(seed=3, messages=40) if mail.campaign)
    name = await label_campaign(stores.style, stores.mail, raw)
    async with running(stores=stores) as gateway:
        _, _, plain = await gateway.call("POST", "/v1/mail", data=raw, headers=MAIL)
    async with running(stores=stores, lists=AllowLists(frozenset(), frozenset({name}))) as gateway:
        _, _, listed = await gateway.call("POST", "/v1/mail", data=raw, headers=MAIL)

    assert ("spam", "IMATCH_SPAM", name) == (plain["verdict"], plain["reasons"][0]["name"], plain["cluster"])
    assert ("ham", "ALLOW_LISTED") == (listed["verdict"], listed["reasons"][0]["name"])
