"""Messages find their campaign, are judged once, and say the same when they come again."""

from dataclasses import replace

import pytest

from hss_stream.lab.crawl import plan_groups
from hss_stream.lab.crawl_mail import generate_mail
from hss_stream.signals.fingerprint import Fingerprint
from hss_stream.steps.apply_label import ApplyLabels, LabelToApply
from hss_stream.steps.events import Origin
from hss_stream.steps.judge_pages import TEXT_RULES, build_judge
from hss_stream.steps.look_up_mail import LookUpMail, read_mail
from hss_stream.steps.look_up_space import LookUpSpace
from hss_stream.steps.page_verdict import AllowLists
from hss_stream.steps.place_mail import MailFacts, MailToPlace, build_mail_judge
from hss_stream.steps.scan_page import PageToPlace
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.verdicts.alert import AlertRules
from hss_stream.verdicts.text_match import text_sketch

AT = 1_700_000_000_000


@pytest.fixture(scope="module")
def mails():
    """Return 120 messages, half of them of three campaigns."""
    return list(generate_mail(seed=3, messages=120, campaigns=3, sentences=20))


@pytest.fixture
def stores():
    """Return empty stores of all spaces."""
    return {
        "s": MemoryClusterStore(),
        "t": MemoryClusterStore(TEXT_RULES),
        "m": MemoryClusterStore(TEXT_RULES),
    }


def to_place(mails, first=0):
    """Return messages as the step takes them."""
    return [
        MailToPlace(Origin("g", "hss.mail", 0, at), AT + 1000 * at, mail.raw)
        for at, mail in enumerate(mails, first)
    ]


def make_label(name, label="spam", *, offset=0, subject="mail", role="editor", client="me"):
    """Return a label to apply."""
    fields = {"subject": subject, "id": name, "label": label, "role": role, "client": client}
    return LabelToApply(Origin("g", "hss.labels", 0, offset), AT, fields)


def bodies(placements, kind):
    """Return the events of a kind."""
    return [e.body for placement in placements for e in placement.events if e.kind == kind]


def wire(placements):
    """Return all events as they leave."""
    return [event.encode() for placement in placements for event in placement.events]


async def test_campaigns_are_found(mails, stores):
    """Messages of a campaign share few clusters, honest letters open one each, and nobody is called spam."""
    placements = await build_mail_judge(stores["s"], stores["m"])(to_place(mails))
    pairs = list(zip(mails, placements, strict=True))
    campaign = [placement.cluster for mail, placement in pairs if mail.campaign == 0]
    letters = [placement.cluster for mail, placement in pairs if mail.truth == "clean"]

    assert max(campaign.count(one) for one in campaign) >= 0.8 * len(campaign)
    assert len(set(letters)) >= 0.9 * len(letters)
    assert {"unknown"} == {body["verdict"] for body in bodies(placements, "attachment")}


async def test_labelled_campaign_raises_alerts(mails, stores):
    """One labelled message: its campaign is spam from then on, one alert a message, one for the campaign."""
    step = build_mail_judge(stores["s"], stores["m"])
    await step(to_place(mails[:60]))
    member = next(mail for mail in mails[:60] if mail.campaign == 1)
    [result] = await ApplyLabels(stores)([make_label(read_mail(member.raw).fingerprint)])
    later = await step(to_place(mails[60:], 60))
    found = [
        body["verdict"]
        for mail, body in zip(mails[60:], bodies(later, "attachment"), strict=True)
        if mail.campaign == 1
    ]

    assert "applied" == result.outcome
    assert ["cluster", "mail"] == [event.body["subject"] for event in result.events if event.kind == "alert"][
        :2
    ]
    assert found.count("spam") >= 0.8 * len(found)
    assert {"mail"} == {body["subject"] for body in bodies(later, "alert")}
    assert found.count("spam") == len(bodies(later, "alert"))


async def test_redelivered_messages_say_the_same(mails, stores):
    """Delivered again to another worker, after the style space has changed, events are the same bytes."""
    page = b"".join(b"<div class=a%d><p>x</p></div>" % n for n in range(60))
    html = b"Subject: hello\nContent-Type: text/html\n\n" + page + b"<p>" + mails[0].raw[-400:] + b"</p>"
    wanted = [*to_place(mails[:40]), MailToPlace(Origin("g", "hss.mail", 0, 40), AT, html)]
    first = await build_mail_judge(stores["s"], stores["m"])(wanted)
    judge = build_judge(stores["s"], stores["t"])
    await judge([PageToPlace(Origin("g", "hss.pages", 0, 0), "https://x.example/", AT, page)])
    again = await build_mail_judge(stores["s"], stores["m"])(wanted)

    assert wire(first) == wire(again)


async def test_mail_never_counts_in_the_style_space(mails, stores):
    """The style of the HTML part is only looked up: style clusters and domains stay as they were."""
    judge = build_judge(stores["s"], stores["t"])
    await judge([PageToPlace(Origin("g", "p", 0, 0), "https://x.example/", AT, mails[0].raw)])
    before = [(state.clock, len(state.clusters), len(state.domains)) for state in stores["s"].states]
    await build_mail_judge(stores["s"], stores["m"])(to_place(mails))

    assert before == [(state.clock, len(state.clusters), len(state.domains)) for state in stores["s"].states]


@pytest.mark.parametrize("size", [1, 7])
async def test_batches_do_not_change_verdicts(mails, stores, size):
    """Any batches give the same events."""
    whole = build_mail_judge(MemoryClusterStore(), MemoryClusterStore(TEXT_RULES))
    cut = build_mail_judge(stores["s"], stores["m"])
    wanted = to_place(mails[:60])
    placements = []
    for start in range(0, len(wanted), size):
        placements += await cut(wanted[start : start + size])

    assert wire(await whole(wanted)) == wire(placements)


@pytest.mark.parametrize("raw", [b"", b"\0" * 3000, b"Subject: hi\n\nok", b"\xff\xfe" * 40])
async def test_message_without_text_opens_nothing(stores, raw):
    """Too little text is an outcome; it finds no campaign and raises nothing."""
    [placement] = await build_mail_judge(stores["s"], stores["m"])(
        [MailToPlace(Origin("g", "m", 0, 0), AT, raw)]
    )
    [event] = placement.events

    assert "too_little_text" == placement.outcome == event.body["outcome"]
    assert event.body["cluster"] is None
    assert event.body["url"].startswith("mail:")
    assert event.body["domain"] is None


async def test_spam_links_and_styles_are_told(mails, stores):
    """A layout and a link known for spam make a message spam, and the alert says which."""
    farm = next(group for group in plan_groups(seed=5, pages=900, half="report") if group.kind == "parked")
    pages = [farm.page(at) for at in range(3)]
    placed = await build_judge(stores["s"], stores["t"])(
        [PageToPlace(Origin("g", "p", 0, at), page.url, AT, page.body) for at, page in enumerate(pages)]
    )
    await ApplyLabels(stores)([make_label(placed[0].cluster, subject="cluster")])
    link = f'<a href="{pages[1].url}">now</a>'.encode()
    wanted = to_place([replace(mails[0], raw=b"Content-Type: text/html\n\n" + pages[2].body + link)])
    [placement] = await build_mail_judge(stores["s"], stores["m"])(wanted)
    body = placement.events[0].body
    lists = AllowLists(domains=frozenset({pages[1].domain}))
    [listed] = await build_mail_judge(stores["s"], MemoryClusterStore(TEXT_RULES), lists=lists)(wanted)

    assert {"STYLE_SPAM", "LINK_SPAM"} == {reason["name"] for reason in body["reasons"]}
    assert "spam" == body["verdict"]
    assert placed[0].cluster == body["style_cluster"]
    assert ["STYLE_SPAM"] == [reason["name"] for reason in listed.events[0].body["reasons"]]


async def test_look_up_agrees_with_the_stream(mails, stores):
    """The gateway's look-up of a message names the campaign the stream put it into."""
    step = build_mail_judge(stores["s"], stores["m"])
    placements = await step(to_place(mails[:50]))
    look_up = LookUpMail(
        LookUpSpace(stores["m"], TEXT_RULES, "m"), step.style, step.look_up_url, AlertRules()
    )
    looked = [await look_up(read_mail(mail.raw)) for mail in mails[:50]]

    assert [placement.cluster for placement in placements] == [one.cluster for one in looked]


async def test_two_lexicons_live_side_by_side(mails, stores):
    """Texts read with another lexicon never match; the older epoch ends with its life time."""
    step = build_mail_judge(stores["s"], stores["m"])
    scanned = await step.scan(to_place([mails[0], mails[0]]))
    mark = Fingerprint.from_hex(scanned[1].read.fingerprint)
    sketch = text_sketch(mark.lexicon + 1, mark.signatures)
    other = replace(scanned[1].document.sketched, sketch=sketch)
    scanned[1] = replace(scanned[1], document=replace(scanned[1].document, sketched=other))
    [old, new] = await step.place(scanned)

    assert old.cluster
    assert new.cluster
    assert old.cluster != new.cluster


def test_facts_survive_their_pin():
    """Pinned facts come back as they were; an empty pin is no facts."""
    facts = MailFacts("s0000000000000001", 1, 77, ("a.example", "ü.example"), 3)

    assert facts == MailFacts.unpack(facts.pack())
    assert MailFacts() == MailFacts.unpack(b"")
