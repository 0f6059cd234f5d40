"""A thousand broken messages: no crash, no hang, bounded memory, each with an answer."""

import random
import tracemalloc

from hss_stream.sources.mail import MAX_TEXT_BYTES, Mail, parse_mail

SEEDS = [
    b"""From: a@example.org\r
Subject: =?utf-8?B?w4ljb2xl?=\r
Content-Type: text/plain; charset=utf-8\r
Content-Transfer-Encoding: quoted-printable\r
\r
Dear =C3=A9 customer, visit https://example.org/a?b=3Dc=\r
 now.\r
""",
    b"""Subject: parts
Content-Type: multipart/mixed; boundary="outer"

preamble
--outer
Content-Type: multipart/alternative; boundary=inner

--inner

plain
--inner
Content-Type: text/html; charset=koi8-r

<html><body><p>html</p></body></html>
--inner--
--outer
Content-Type: message/rfc822

Subject: forwarded

text
--outer
Content-Type: application/zip; name=x.zip
Content-Transfer-Encoding: base64

UEsDBAo=
--outer--
""",
    b"""From x Thu Jan 1 10:00:00 2004
Subject: b
Content-Type: text/html; charset=gb2312
Content-Transfer-Encoding: base64

PGh0bWw+PHA+xOO6wzwvcD48L2h0bWw+
""",
]
SPICES = [
    *[
        b"\n",
        b"\r",
        b"\0",
        b"--outer\n",
        b"--inner--",
        b"=?",
        b"?=",
        b"=",
        b"\n\n",
        b"\xff\xfe",
        b"--",
        b'"',
        b"From ",
    ],
    *[b"boundary*0*=''%00%FF", b'charset="', b";" * 99, b"(" * 999, b"\\" * 99],
    b"Content-Type: multipart/mixed; boundary=",
    b"Content-Type: message/rfc822\n\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Subject: " + b"=?utf-8?q?a?= " * 50,
]


def mutate(source: random.Random) -> bytes:
    """Return a message with some of its bytes changed, cut, moved, repeated or spiced."""
    raw = bytearray(source.choice(SEEDS))
    for _ in range(source.randint(1, 12)):
        at, other = sorted(source.randrange(len(raw) + 1) for _ in range(2))
        act = source.randrange(6)
        if act == 0:
            raw[at:other] = b""
        elif act == 1:
            raw[at:at] = source.choice(SPICES)
        elif act == 2:
            raw[at:at] = raw[at:other] * source.randint(1, 4)
        elif act == 3 and raw:
            raw[at % len(raw)] = source.randrange(256)
        elif act == 4:
            raw[at:other] = source.randbytes(other - at)
        else:
            raw[at:at] = source.choice(SEEDS)[:other]
        raw = raw[:100_000]
    return bytes(raw)


def test_mutated_messages_are_answered():
    """Every one of a thousand mutated messages gives texts that are valid and no larger than allowed."""
    source = random.Random(2004)
    tracemalloc.start()
    for _ in range(1000):
        raw = mutate(source)
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        mail = parse_mail(raw)
        peak = tracemalloc.get_traced_memory()[1] - before

        assert isinstance(mail, Mail)
        mail.subject.decode()
        mail.plain.decode()
        assert len(mail.plain) + len(mail.html) <= 3 * min(MAX_TEXT_BYTES, len(raw))
        assert peak <= 12 * len(raw) + 200_000
    tracemalloc.stop()


def test_mutated_messages_keep_their_text():
    """Garbage before and after a message's parts does not hide the text between."""
    for garbage in SPICES:
        raw = SEEDS[1].replace(b"preamble", garbage.replace(b"--outer", b"")) + garbage

        assert b"plain" in parse_mail(raw).plain
