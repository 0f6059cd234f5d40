"""Generated mail: campaigns whose words change from message to message, and honest letters.

A campaign is one text in which a few words are exchanged, left out or put in for each receiver, with a
link and an HTML part of its own template; honest letters are prose on the same topics as the pages.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from hss_stream.lab.crawl_lexicon import GOODS, PEOPLE, SURNAMES
from hss_stream.lab.crawl_page import Truth, domain_name, fetch_time, mix
from hss_stream.lab.crawl_prose import Half, prose_of

CAMPAIGN_SHARE = 0.5
# Share of a campaign's words that change in a message; I-Match with ten copies still finds most of these.
CHANGED_WORDS = 0.03


@dataclass(frozen=True, slots=True)
class CrawlMail:
    """A raw message and what is true about it; `campaign` is None for an honest letter."""

    raw: bytes
    received_at: datetime
    truth: Truth
    campaign: int | None


def generate_mail(
    *, seed: int, messages: int, half: Half = "report", campaigns: int = 5, sentences: int = 14
) -> Iterator[CrawlMail]:
    """Yield messages in order of arrival; the same arguments yield the same bytes."""
    for number in range(messages):
        chance = random.Random(f"mail/{seed}/{half}/{number}")
        if chance.random() < CAMPAIGN_SHARE:
            campaign = chance.randrange(campaigns)
            yield CrawlMail(
                _campaign_mail(seed, half, campaign, chance, sentences), fetch_time(number), "spam", campaign
            )
        else:
            yield CrawlMail(_letter(seed, half, chance), fetch_time(number), "clean", None)


def _campaign_mail(seed: int, half: Half, campaign: int, chance: random.Random, sentences: int) -> bytes:
    """Return one message of a campaign."""
    own = random.Random(f"campaign/{seed}/{half}/{campaign}")
    text = prose_of(half, own.randrange(6)).paragraph(own, sentences)
    goods = own.choice(GOODS)
    words = [_changed(word, chance) for word in text.split()]
    site = domain_name(seed, 99_997, campaign * 1000 + chance.randrange(40))
    lines = f"{chance.choice(PEOPLE)},\n\n{' '.join(words)}\n\nhttp://{site}/{chance.randrange(10**6)}\n"
    sender = f"{chance.choice(PEOPLE).lower()}{chance.randrange(1000)}@{site}"
    html = f'<html><body><table width="600"><tr><td><p>{" ".join(words)}</p><a href="http://{site}/">{goods}</a></td></tr>'
    return _message(
        sender, f"{goods} {chance.randrange(100)}", lines, f"{html}</table></body></html>", chance
    )


def _changed(word: str, chance: random.Random) -> str:
    """Return the word, or now and then another one or none."""
    if chance.random() >= CHANGED_WORDS:
        return word
    return chance.choice((chance.choice(SURNAMES), f"{word} {chance.choice(PEOPLE)}", ""))


def _letter(seed: int, half: Half, chance: random.Random) -> bytes:
    """Return an honest message."""
    prose = prose_of(half, chance.randrange(6))
    person = chance.choice(PEOPLE)
    site = domain_name(seed, 99_996, chance.randrange(300))
    text = "\n\n".join(prose.paragraph(chance, chance.randint(2, 5)) for _ in range(chance.randint(1, 4)))
    body = f"Dear {chance.choice(PEOPLE)},\n\n{text}\n\n{person}\n"
    return _message(f"{person.lower()}@{site}", prose.title(chance), body, None, chance)


def _message(sender: str, subject: str, text: str, html: str | None, chance: random.Random) -> bytes:
    """Return an RFC 822 message, with an HTML part where there is one."""
    mark = f"part{mix(chance.getrandbits(63)):016x}"
    head = (
        f"From: <{sender}>\r\nTo: <reader@example.org>\r\nSubject: {subject}\r\n"
        f"Message-ID: <{chance.getrandbits(63):x}@example.org>\r\nMIME-Version: 1.0\r\n"
    )
    if html is None:
        return f"{head}Content-Type: text/plain; charset=utf-8\r\n\r\n{text}".encode()
    return (
        f'{head}Content-Type: multipart/alternative; boundary="{mark}"\r\n\r\n'
        f"--{mark}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n"
        f"--{mark}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}\r\n--{mark}--\r\n"
    ).encode()
