"""Look-ups say what the stream knows, and change nothing."""

import random
from copy import deepcopy
from dataclasses import replace

import pytest

from hss_stream.gateway.breaker import Breaker
from hss_stream.gateway.lookups import LookUps, SpaceStores
from hss_stream.lab.crawl_mail import generate_mail
from hss_stream.signals.fingerprint import Fingerprint
from hss_stream.steps.events import Origin
from hss_stream.steps.judge_pages import TEXT_RULES
from hss_stream.steps.look_up_mail import read_mail
from hss_stream.steps.place_page import PlacePages
from hss_stream.steps.scan_page import PageToPlace
from hss_stream.steps.score_page import score_page
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.verdicts.cluster_id import MAIL

SPAM = 1
MARKS = "!#$&()*+,-./:;=?@[]^_{|}~"
_CHANCE = random.Random(4)
PAGE = "".join(f'<p title="{"".join(_CHANCE.choices(MARKS, k=20))}">WORD {n}</p>' for n in range(60))


@pytest.fixture
def stores():
    """Return empty stores of all spaces."""
    return SpaceStores(MemoryClusterStore(), MemoryClusterStore(TEXT_RULES), MemoryClusterStore(TEXT_RULES))


def make_lookups(stores):
    """Return look-ups over some stores."""
    return LookUps(stores, breaker=Breaker(5, 1.0), budget_seconds=30.0)


async def place_mail(stores, raw):
    """Place a message in the mail space, as the stream does."""
    document = replace(read_mail(raw).document, origin=Origin("hss", "hss.mail", 0, 0))
    return (await PlacePages(stores.mail, TEXT_RULES, space=MAIL).place([document]))[0]


def label_all(store, label):
    """Label every cluster of a store."""
    for state in store.states:
        for record in state.clusters.values():
            record.label = label


async def test_campaign_is_found_by_one_label(stores):
    """One labelled message condemns the others of its campaign, and no honest letter."""
    mails = list(generate_mail(seed=7, messages=120))
    campaign = [mail.raw for mail in mails if mail.campaign == 0]
    placed = await place_mail(stores, campaign[0])
    label_all(stores.mail, SPAM)
    lookups = make_lookups(stores)
    found = [(await lookups.mail(raw))[1].found for raw in campaign[1:]]
    honest = [(await lookups.mail(mail.raw))[1].found for mail in mails if mail.truth == "clean"]

    assert {"IMATCH_SPAM"} == {one.verdict.reasons[0].name for one in found if one.verdict.reasons}
    assert sum(one.verdict.verdict == "spam" for one in found) >= 0.8 * len(found)
    assert {placed.cluster} == {one.cluster for one in found if one.cluster}
    assert not any(one.verdict.verdict == "spam" for one in honest)


async def test_page_is_found_where_it_was_placed(stores):
    """A page's look-up names the cluster that the stream put its likes into; an unlike page has none."""
    first, second = (PAGE.replace("WORD", word).encode() for word in ("one", "two"))
    page = PageToPlace(Origin("hss", "hss.pages", 0, 0), "http://a.example/", 1000, first)
    placed = (await PlacePages(stores.style)([page]))[0]
    label_all(stores.style, SPAM)
    before = deepcopy([vars(state) for state in stores.style.states])
    lookups = make_lookups(stores)
    _, like = await lookups.page(second, "text/html", "http://b.example/")
    _, unlike = await lookups.page(b"<p>nothing", "text/html", "")
    sample = await lookups.url("http://a.example/")
    domain = await lookups.url("http://a.example/other")

    assert (placed.cluster, "spam") == (like.found.cluster, like.found.verdict.verdict)
    assert (None, "unknown") == (unlike.found.cluster, unlike.found.verdict.verdict)
    assert ("page", "domain") == (sample.found.matched_by, domain.found.matched_by)
    assert "spam" == sample.found.found.verdict.verdict
    assert repr(before) == repr([vars(state) for state in stores.style.states])


async def test_spam_domain_in_a_message_counts(stores):
    """A message that links to a domain known for spam says so."""
    body = PAGE.replace("WORD", "one").encode()
    page = PageToPlace(Origin("hss", "hss.pages", 0, 0), "http://bad.example/", 1000, body)
    await PlacePages(stores.style)([page])
    label_all(stores.style, SPAM)
    raw = b"Subject: x\r\nFrom: a@b.example\r\n\r\nsee http://www.bad.example/x and http://good.example/\r\n"
    _, looked = await make_lookups(stores).mail(raw)

    assert ["LINK_SPAM"] == [reason.name for reason in looked.found.verdict.reasons]
    assert {"domains": "bad.example", "spam": 1, "links": 2} == looked.found.verdict.reasons[0].facts


async def test_fingerprint_is_that_of_score(stores):
    """The fingerprint in an answer is the one `score` prints, so that either can be labelled."""
    raw = next(iter(generate_mail(seed=7, messages=1))).raw
    mail, _ = await make_lookups(stores).mail(raw)
    page, _ = await make_lookups(stores).page(PAGE.encode(), "text/html", "")

    assert score_page(raw, "mail")["fingerprint"] == mail.fingerprint
    assert score_page(PAGE.encode(), "page", "text/html")["fingerprint"] == page.fingerprint
    assert "mail" == Fingerprint.from_hex(mail.fingerprint).kind
