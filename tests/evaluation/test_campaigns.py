"""Real campaigns: one labelled message finds the later ones like it, and no honest message is called spam."""

import logging
from math import sqrt

import pytest

from hss_stream.lab.imatch_documents import LEAST_WORDS, candidates
from hss_stream.signals.words import WordHasher
from hss_stream.sources.records import open_source
from hss_stream.steps.apply_label import ApplyLabels, LabelToApply
from hss_stream.steps.events import Origin
from hss_stream.steps.judge_pages import TEXT_RULES
from hss_stream.steps.place_mail import MailToPlace, build_mail_judge
from hss_stream.steps.score_page import read_body
from hss_stream.store.memory import MemoryClusterStore

NEAR = 0.9
AT = 1_700_000_000_000
HAM = ("email-spamassassin/easy-ham-1", "email-spamassassin/hard-ham-1")


def read_mails(folder):
    """Return raw messages with their distinct words; those with next to no words are left out."""
    hasher, mails = WordHasher(), []
    for record in open_source(folder, kind="mail"):
        words = candidates(hasher.hash(read_body(record.body, "mail", None).text))
        if words.size >= LEAST_WORDS:
            mails.append((record.body, frozenset(words.tolist())))
    return mails


def later_members(mails):
    """Return, for every message that no earlier one is like, the later ones with a cosine of at least .9."""
    members, leaders = {}, []
    for at, (_, words) in enumerate(mails):
        near = [
            leader
            for leader, other in leaders
            if NEAR**2 <= len(words) / len(other) <= NEAR**-2
            and len(words & other) >= NEAR * sqrt(len(words) * len(other))
        ]
        for leader in near:
            members[leader].append(at)
        if not near:
            leaders.append((at, words))
            members[at] = []
    return {leader: some for leader, some in members.items() if some}


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_labelled_campaigns_are_found(evaluation_data):
    """An editor labels the first message of each campaign; .80 of the later ones are spam, and no ham is."""
    mails = read_mails(evaluation_data / "email-phishing-pot")
    members = later_members(mails)
    stores = {"s": MemoryClusterStore(), "m": MemoryClusterStore(TEXT_RULES)}
    step, label = build_mail_judge(stores["s"], stores["m"]), ApplyLabels(stores)
    verdicts, start = [], 0
    for number, leader in enumerate([*sorted(members), len(mails) - 1]):
        some = [
            MailToPlace(Origin("g", "hss.mail", 0, at), AT, mails[at][0]) for at in range(start, leader + 1)
        ]
        placements = await step(some)
        verdicts += [placement.events[0].body["verdict"] for placement in placements]
        start = leader + 1
        if leader in members and placements[-1].cluster:
            fields = {"subject": "cluster", "id": placements[-1].cluster, "label": "spam", "role": "editor"}
            await label([LabelToApply(Origin("g", "hss.labels", 0, number), AT, fields)])
    later = [at for some in members.values() for at in some]
    found = sum(verdicts[at] == "spam" for at in later)
    honest = []
    for folder in HAM:
        for at, (raw, _) in enumerate(read_mails(evaluation_data / folder), len(mails) + len(honest)):
            honest.append(MailToPlace(Origin("g", "hss.mail", 0, at), AT, raw))
    hams = [placement.events[0].body["verdict"] for placement in await step(honest)]
    logging.getLogger(__name__).info("%d of %d later members, %d campaigns", found, len(later), len(members))

    assert len(members) >= 50
    assert found >= 0.80 * len(later)
    assert "spam" not in hams
