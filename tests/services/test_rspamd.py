"""The plugin in a real rspamd: our symbol with its reasons, and a scan that never waits for us in vain."""

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from hss_stream.gateway.token_file import create_token
from hss_stream.lab.crawl_mail import generate_mail
from hss_stream.signals.fingerprint import Fingerprint
from hss_stream.steps.judge_pages import TEXT_RULES
from hss_stream.steps.look_up_mail import read_mail
from hss_stream.store.address import StoreAddress
from hss_stream.store.redis_store import RedisClusterStore
from hss_stream.store.spaces import sibling_store
from tests.services.programs import running_gateway, running_valkey
from tests.services.rspamd import free_port, running_rspamd
from tests.unit.gateway.campaign import label_campaign

pytestmark = [pytest.mark.services, pytest.mark.slow]

MESSAGE = b"From: a@b.example\r\nSubject: hello\r\n\r\nSome words.\r\n"
# The plugin gives up after 500 ms. By rspamd's own clock, and the best of a few scans: a busy machine may
# hold up any one of them, but could not make one faster.
MAX_SCAN_SECONDS = 0.6
MAX_SCANS = 8


@pytest.fixture(scope="module")
def rspamd(tmp_path_factory):
    """Run one rspamd for all tests; the gateway's port is fixed, whoever listens there."""
    port = free_port()
    folder = tmp_path_factory.mktemp("rspamd")
    folder.chmod(0o777)
    tokens = folder / "tokens"
    _, token = create_token(tokens, "rspamd", ("lookup",), "reporter")
    plugin = {"enabled": "true", "url": f'"http://127.0.0.1:{port}/v1/mail"', "token": f'"{token}"'}
    with running_rspamd(Path(folder), plugin=plugin) as running:
        running.scan(MESSAGE)  # the first scan also compiles expressions
        yield running, port, token, tokens


@asynccontextmanager
async def answering(port, answer):
    """Answer every request on a port with these bytes; None never answers."""
    asked = []

    async def serve(reader, writer):
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        if answer is not None:
            writer.write(answer)
            await writer.drain()
        else:
            await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port)
    try:
        yield asked
    finally:
        server.close()


def http(body, status=b"200 OK"):
    """Return an answer as bytes."""
    return (
        b"HTTP/1.1 %b\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b"
        % (
            status,
            len(body),
            body,
        )
    )


def signatures(raw):
    """Return the places and signatures of a message."""
    return {
        pair for pair in enumerate(Fingerprint.from_hex(read_mail(raw).fingerprint).signatures) if pair[1]
    }


async def scan(running, message=MESSAGE, *, is_answered=False):
    """Return what rspamd says of a message, after a scan that was not held up."""
    for _ in range(MAX_SCANS):
        result = await asyncio.to_thread(running.scan, message)
        if result["time_real"] <= MAX_SCAN_SECONDS and not (is_answered and "HSS_FAIL" in result["symbols"]):
            break
    return result


async def test_labelled_campaign_shows_in_rspamd(rspamd, tmp_path):
    """A message of a campaign that an editor labelled gets our symbol with its reasons, by the real gateway.

    The labelled message differs in some words from the one that is scanned.
    """
    running, port, token, tokens = rspamd
    known, *others = [mail.raw for mail in generate_mail(seed=8, messages=60) if mail.campaign == 1]
    scanned = next(raw for raw in others if signatures(raw) & signatures(known) and raw != known)
    with running_valkey(tmp_path) as (_, socket):
        style = RedisClusterStore(StoreAddress(path=socket))
        mail = sibling_store(style, "mail", TEXT_RULES)
        for store in (style, mail):
            await store.open()
        name = await label_campaign(style, mail, known)
        with running_gateway(f"unix://{socket}", port=port, tokens_file=tokens, budget_seconds=5) as gateway:
            result = await scan(running, scanned, is_answered=True)
            refused, _ = gateway.get("/v1/url?url=http://a.example/")
        for store in (style, mail):
            await store.close()
    assert "HSS_SPAM" in result["symbols"], result
    symbol = result["symbols"]["HSS_SPAM"]

    assert token.startswith("hss_")
    assert 401 == refused
    assert 6.0 == symbol["score"] == result["score"]
    assert [f"IMATCH_SPAM=6.0:{name}"] == symbol["options"]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        http(b"{}", b"500 Internal Server Error"),
        http(b"{}", b"503 Service Unavailable"),
        http(b"rubbish {{"),
        http(b'{"format":1,"verdict":7,"score":"x"}'),
        http(b'{"format":1,"verdict":"spam","score":1e999,"reasons":7}'),
        b"not even HTTP\r\n\r\n",
        b"",
    ],
    ids=["hanging", "500", "503", "no-json", "wrong-types", "infinite", "no-http", "closed"],
)
async def test_scan_goes_on_without_us(rspamd, answer):
    """A gateway that hangs, fails or talks rubbish costs at most the limit; the scan is normal otherwise."""
    running, port, *_ = rspamd
    async with answering(port, answer):
        result = await scan(running)

    assert "no action" == result["action"]
    assert "HSS_SPAM" not in result["symbols"] or result["symbols"]["HSS_SPAM"]["score"] <= 10
    assert result["time_real"] <= MAX_SCAN_SECONDS


async def test_scan_goes_on_with_the_gateway_stopped(rspamd):
    """With nobody listening the scan is normal, and a symbol without score says that we were missing."""
    running, *_ = rspamd
    result = await scan(running)

    assert ("no action", 0.0) == (result["action"], result["symbols"]["HSS_FAIL"]["score"])
    assert result["time_real"] <= MAX_SCAN_SECONDS
