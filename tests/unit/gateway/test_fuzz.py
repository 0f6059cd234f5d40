"""Every route under requests nobody would write: no failure of ours, no hang, one shape of errors.

Requests are made from the table of routes that OpenAPI is written from, so a new route is tried at once, and
what is answered is held to the model that the table names. The large run, by hand:

    TEST_FUZZ_REQUESTS=10000 TEST_FUZZ_MAILS=1000 .venv/bin/pytest -n 0 tests/unit/gateway/test_fuzz.py
"""

import os
import random
import resource
from pathlib import Path

import aiohttp
import pytest

from hss_stream.gateway import models
from hss_stream.gateway.routes import ROUTES
from hss_stream.lab.crawl_mail import generate_mail
from tests.unit.gateway.running import running

REQUESTS = int(os.environ.get("TEST_FUZZ_REQUESTS", "300"))
MAILS = int(os.environ.get("TEST_FUZZ_MAILS", "100"))
# Memory that requests may leave behind: caches fill up once, then nothing more stays.
MAX_GROWTH_BYTES = 150_000_000
TEXTS = [
    "",
    "a",
    "ns1.example.net",
    "..",
    "-",
    "%00",
    "%ff",
    "é",
    "x" * 300,
    "s0000000000000000",
    "//",
    "{}",
    "\u202e",
]
BODIES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"names":[1]}',
    b'{"names":["a.b"],"urls":["http://["]}',
    b"\x00" * 99,
    b"<" * 999,
]
TYPES = ["", "text/html", "message/rfc822", "application/json", "text/html; charset=utf-7", "a/b/c", "*"]


def mutated(raw, chance):
    """Return a message with some bytes changed, dropped or doubled."""
    body = bytearray(raw)
    for _ in range(chance.randrange(12)):
        place = chance.randrange(len(body) + 1)
        cut = body[place : place + chance.randrange(60)]
        body[place : place + chance.randrange(40)] = chance.choice(
            [b"", bytes([chance.randrange(256)]), cut * 3]
        )
    return bytes(body)


def made_request(chance, mails):
    """Return route, method, path and options of one request."""
    route = chance.choice(ROUTES)
    path = route.path + (chance.choice(TEXTS) if route.part else "")
    names = chance.sample(["url", "label", "nameservers", "x"], chance.randrange(3))
    query = {name: chance.choice(TEXTS) for name in names}
    method = (
        route.method if chance.random() < 0.9 else chance.choice(["GET", "POST", "PUT", "HEAD", "OPTIONS"])
    )
    options = {"params": query, "headers": {}}
    if method in {"POST", "PUT"}:
        is_mail = chance.random() < 0.5
        options["data"] = mutated(chance.choice(mails), chance) if is_mail else chance.choice(BODIES)
        kind = chance.choice([*route.body, *TYPES])
        options["headers"] = {"Content-Type": kind} if kind else {}
        if chance.random() < 0.1:
            options["headers"]["Content-Encoding"] = chance.choice(["gzip", "deflate", "zstd", "br", "x"])
    return route, method, path, options


@pytest.mark.timeout(900)
async def test_no_request_makes_it_fail():
    """Whatever is asked, the answer is no failure of the gateway; errors have the shape of all errors."""
    chance = random.Random(11)
    mails = [mail.raw for mail in generate_mail(seed=11, messages=40)]
    async with running(address_rate_per_second=1e6, max_body_bytes=200_000) as gateway:
        for _ in range(REQUESTS):
            route, method, path, options = made_request(chance, mails)
            options.setdefault("timeout", aiohttp.ClientTimeout(total=30))
            async with gateway.client.request(method, gateway.url(path), **options) as answer:
                body = await answer.read()
                told = (method, path, options["params"], answer.status, body[:200])

                assert answer.status < 500, told
                if answer.status >= 400 and method != "HEAD":
                    assert "application/problem+json" == answer.content_type, told
                if answer.status == route.status and method == route.method and route.answer:
                    assert getattr(models, route.answer).model_validate_json(body), told
        status, _, _ = await gateway.get("/healthz")

        assert 200 == status


def resident_bytes():
    """Return the memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.mark.timeout(900)
async def test_malformed_mail_is_answered():
    """Any bytes are a message: each gets a verdict, and none leaves much behind."""
    chance = random.Random(12)
    mails = [mail.raw for mail in generate_mail(seed=12, messages=40)]
    headers = {"Content-Type": "message/rfc822"}
    async with running(address_rate_per_second=1e6) as gateway:
        await gateway.call("POST", "/v1/mail", data=mails[0], headers=headers)
        before = resident_bytes()
        for _ in range(MAILS):
            raw = mutated(mutated(chance.choice(mails), chance), chance)
            status, _, answer = await gateway.call("POST", "/v1/mail", data=raw, headers=headers)

            assert 200 == status, raw
            assert models.VerdictAnswer.model_validate(answer)
        assert resident_bytes() - before < MAX_GROWTH_BYTES
