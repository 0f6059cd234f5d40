"""The plugin in a real rspamd: our symbol with its reasons, and a scan that never waits for us in vain."""

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.services.rspamd import free_port, running_rspamd

pytestmark = [pytest.mark.services, pytest.mark.slow]

MESSAGE = b"From: a@b.example\r\nSubject: hello\r\n\r\nSome words.\r\n"
SPAM = (
    b'{"format":1,"verdict":"spam","score":7.5,"reasons":[{"name":"IMATCH_SPAM","weight":6.0,'
    b'"facts":{"cluster":"m0000000000000001"}},{"name":"LINK_SPAM","weight":1.5,"facts":{"domains":"a.example"}}],'
    b'"cluster":"m0000000000000001","fingerprint":null,"degraded":false,"took_ms":1.0}'
)
# The plugin gives up after 500 ms and rspamd itself after 8 s; between the two there is room for a busy
# machine.
MAX_SCAN_SECONDS = 4.0


@pytest.fixture(scope="module")
def rspamd(tmp_path_factory):
    """Run one rspamd for all tests; the gateway's port is fixed, whoever listens there."""
    port = free_port()
    folder = tmp_path_factory.mktemp("rspamd")
    folder.chmod(0o777)
    plugin = {"enabled": "true", "url": f'"http://127.0.0.1:{port}/v1/mail"', "token": '"hss_id_secret"'}
    with running_rspamd(Path(folder), plugin=plugin) as running:
        running.scan(MESSAGE)  # the first scan also compiles expressions
        yield running, port


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


async def test_symbol_carries_score_and_reasons(rspamd):
    """A verdict of spam becomes our symbol with the verdict's score and its reasons as options."""
    running, port = rspamd
    async with answering(port, http(SPAM)) as asked:
        result = await asyncio.to_thread(running.scan, MESSAGE)
    symbol = result["symbols"]["HSS_SPAM"]

    assert 7.5 == symbol["score"] == result["score"]
    assert ["IMATCH_SPAM=6.0:m0000000000000001", "LINK_SPAM=1.5:a.example"] == symbol["options"]
    assert b"message/rfc822" in asked[0]
    assert b"Bearer hss_id_secret" in asked[0]


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
    running, port = rspamd
    async with answering(port, answer):
        result = await asyncio.to_thread(running.scan, MESSAGE)

    assert "no action" == result["action"]
    assert "HSS_SPAM" not in result["symbols"] or result["symbols"]["HSS_SPAM"]["score"] <= 10
    assert result["time_real"] < MAX_SCAN_SECONDS


async def test_scan_goes_on_with_the_gateway_stopped(rspamd):
    """With nobody listening the scan is normal, and a symbol without score says that we were missing."""
    running, _ = rspamd
    result = await asyncio.to_thread(running.scan, MESSAGE)

    assert ("no action", 0.0) == (result["action"], result["symbols"]["HSS_FAIL"]["score"])
    assert result["time_real"] < MAX_SCAN_SECONDS
