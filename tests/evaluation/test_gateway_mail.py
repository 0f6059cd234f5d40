"""Real mail through the gateway: a campaign known by one message is found again, and no ham is spam."""

import random
import re
from functools import partial

import pytest

from hss_stream.gateway.lookups import SpaceStores
from hss_stream.signals.fingerprint import Fingerprint
from hss_stream.signals.page_scan import scan_page
from hss_stream.sources.mail import parse_mail
from hss_stream.steps.apply_label import ApplyLabels, LabelToApply
from hss_stream.steps.events import Origin
from hss_stream.steps.judge_pages import TEXT_RULES
from hss_stream.steps.look_up_mail import read_mail
from hss_stream.steps.place_mail import MailToPlace, build_mail_judge
from hss_stream.store.memory import MemoryClusterStore
from tests.unit.gateway.running import running

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

MAIL = {"Content-Type": "message/rfc822"}
AT_MS = 1_700_000_000_000
CAMPAIGNS = 300
CHANGED = 0.05


def messages(folder, *names):
    """Return the raw messages of some corpora, in a fixed order."""
    paths = (path for name in names for path in sorted((folder / name).rglob("*")))
    return [path.read_bytes() for path in paths if path.is_file() and path.suffix not in {".md", ".jsonl"}]


def is_findable(raw):
    """Tell whether a message has enough text to be found again."""
    return any(Fingerprint.from_hex(read_mail(raw).fingerprint).signatures)


def shown(raw):
    """Return the text that a reader of a message sees."""
    mail = parse_mail(raw)
    return mail.shown_text(scan_page(mail.html, mail.html_type).text if mail.html else b"")


def as_message(text):
    """Return a plain message with a text."""
    return b"From: a@b.example\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + text


def inserted(words, pool, chance):
    """Return words with some of others' among them."""
    return [
        part
        for word in words
        for part in ((chance.choice(pool), word) if chance.random() < CHANGED else (word,))
    ]


def deleted(words, pool, chance):
    """Return words without some of them."""
    del pool
    return [word for word in words if chance.random() >= CHANGED]


def substituted(words, pool, chance):
    """Return words with some of others' in place of some."""
    return [chance.choice(pool) if chance.random() < CHANGED else word for word in words]


async def label_all(stores, raws):
    """Place messages as the stream does, and label the campaign of each by its fingerprint."""
    judge = build_mail_judge(stores.style, stores.mail)
    for start in range(0, len(raws), 100):
        batch = enumerate(raws[start : start + 100], start)
        await judge([MailToPlace(Origin("g", "hss.mail", 0, at), AT_MS, raw) for at, raw in batch])
    labels = ApplyLabels({"s": stores.style, "m": stores.mail})
    fields = {"subject": "mail", "label": "spam", "role": "editor", "client": "me"}
    await labels(
        [
            LabelToApply(
                Origin("g", "hss.labels", 0, at), AT_MS, {**fields, "id": read_mail(raw).fingerprint}
            )
            for at, raw in enumerate(raws)
        ]
    )


async def verdicts(stores, raws):
    """Return what the gateway says of messages."""
    async with running(stores=stores, address_rate_per_second=1e6) as gateway:
        return [(await gateway.call("POST", "/v1/mail", data=raw, headers=MAIL))[2] for raw in raws]


def new_stores():
    """Return empty stores of style and mail."""
    return SpaceStores(MemoryClusterStore(), None, MemoryClusterStore(TEXT_RULES))


@pytest.mark.parametrize(("change", "floor"), [(inserted, 0.80), (deleted, 0.88), (substituted, 0.65)])
async def test_changed_message_is_found(evaluation_data, change, floor):
    """A campaign labelled through one message is found with 5 % of the words changed."""
    chance = random.Random(7)
    texts = [
        shown(raw) for raw in messages(evaluation_data, "email-phishing-pot", "email-spamassassin/spam-1")
    ]
    texts = [text for text in texts if is_findable(as_message(text))]
    pool = [word for text in texts for word in text.split()]
    texts = chance.sample(texts, CAMPAIGNS)
    stores = new_stores()
    await label_all(stores, [as_message(text) for text in texts])
    vary = partial(change, pool=pool, chance=chance)
    changed = [as_message(b" ".join(vary(re.split(rb"\s+", text.strip())))) for text in texts]
    found = await verdicts(stores, changed)
    share = sum(one["verdict"] == "spam" for one in found) / CAMPAIGNS

    assert share >= floor


async def test_no_ham_is_called_spam(evaluation_data):
    """With every spam message labelled, no ham message is called spam."""
    stores = new_stores()
    spam = messages(evaluation_data, "email-phishing-pot", "email-spamassassin/spam-1")
    await label_all(stores, [raw for raw in spam if is_findable(raw)])
    ham = messages(evaluation_data, "email-spamassassin/easy-ham-1", "email-spamassassin/hard-ham-1")
    found = await verdicts(stores, ham)
    again = await verdicts(stores, spam[:200])

    assert 0 == sum(one["verdict"] == "spam" for one in found)
    assert sum(one["verdict"] == "spam" for one in again) > 150
