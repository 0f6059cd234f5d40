"""One test a limit: what is too much is refused, and others are still answered."""

import asyncio
import gzip
import zlib

import pytest
import zstandard

from hss_stream.gateway.body import unpack
from hss_stream.gateway.problem import Problem
from hss_stream.gateway.rates import RateLimit
from hss_stream.store.memory import MemoryClusterStore
from tests.unit.gateway.running import running

MAIL = {"Content-Type": "message/rfc822"}


async def until(condition):
    """Wait for a condition; pytest's own limit ends a wait in vain."""
    while not condition():  # noqa: ASYNC110 - nothing announces it
        await asyncio.sleep(0)


async def raw(gateway, sent):
    """Send bytes as they are and return all that comes back until the gateway closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    writer.write(sent)
    try:
        return await reader.read()
    except ConnectionResetError:
        return b"reset"
    finally:
        writer.close()


async def test_large_body_is_refused():
    """A body over the limit gets 413, announced or not, and is not read to its end."""
    async with running(max_body_bytes=2000) as gateway:

        async def chunks():
            for _ in range(10):
                yield b"x" * 1000

        announced, _, _ = await gateway.call("POST", "/v1/mail", data=b"x" * 2001, headers=MAIL)
        chunked, _, _ = await gateway.call("POST", "/v1/mail", data=chunks(), headers=MAIL)

        assert (413, 413) == (announced, chunked)
        assert 2 == gateway.metric("hss_gateway_limits_total", limit="body_bytes")


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("zstd", zstandard.ZstdCompressor().compress)],
)
async def test_packed_body_unpacks_to_its_limit(encoding, pack):
    """Packed bodies are unpacked; one that would unpack to more than the limit gets 413."""
    async with running(max_body_bytes=5000) as gateway:
        headers = {**MAIL, "Content-Encoding": encoding}
        fine, _, _ = await gateway.call(
            "POST", "/v1/mail", data=pack(b"Subject: x\n\nHello"), headers=headers
        )
        bomb, _, _ = await gateway.call(
            "POST", "/v1/mail", data=pack(b"0" * 10_000_000)[:5000], headers=headers
        )
        rubbish, _, _ = await gateway.call("POST", "/v1/mail", data=b"rubbish", headers=headers)

        assert (200, 413, 400) == (fine, bomb, rubbish)


def test_bomb_stops_at_the_limit():
    """Unpacking stops at the limit: a bomb costs its limit, not its content."""
    with pytest.raises(Problem, match="at most 1000 bytes"):
        unpack(gzip.compress(b"0" * 50_000_000), "gzip", 1000)


async def test_long_headers_are_refused():
    """A header or request line over the limit gets 400 in the shape of all errors."""
    async with running(max_header_bytes=1000) as gateway:
        answer = await raw(
            gateway, b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: " + b"y" * 5000 + b"\r\n\r\n"
        )

        assert b" 400 " in answer[:20]
        assert b"application/problem+json" in answer


async def test_slow_headers_are_cut():
    """A client that never finishes its headers is cut off; others are answered meanwhile."""
    async with running(header_seconds=0.05) as gateway:
        slow = asyncio.create_task(raw(gateway, b"GET /healthz HTTP/1.1\r\nX-Slow: "))
        status, _, _ = await gateway.get("/healthz")

        assert 200 == status
        assert await slow in {b"", b"reset"}
        assert 1 == gateway.metric("hss_gateway_limits_total", limit="headers_time")


async def test_slow_body_is_cut():
    """A client that never finishes its body hears 408 and is cut off."""
    async with running(body_seconds=0.05) as gateway:
        answer = await raw(
            gateway,
            b"POST /v1/mail HTTP/1.1\r\nHost: x\r\nContent-Type: message/rfc822\r\n"
            b"Content-Length: 9\r\n\r\nabc",
        )

        assert answer.startswith(b"HTTP/1.1 408")


async def test_idle_connection_is_closed():
    """A connection that sends nothing is closed after the idle time."""
    async with running(idle_seconds=0.05) as gateway:
        assert b"" == await raw(gateway, b"")


async def test_further_connections_hear_503():
    """Connections beyond the limit hear 503 at once; those inside go on."""
    async with running(max_connections=8) as gateway:
        await gateway.get("/healthz")
        others = [await asyncio.open_connection("127.0.0.1", gateway.port) for _ in range(7)]
        await until(lambda: len(gateway.server._server.connections) == 8)
        answer = await raw(gateway, b"")
        status, _, _ = await gateway.get("/healthz")

        assert answer.startswith(b"HTTP/1.1 503")
        assert b"Retry-After" in answer
        assert 200 == status
        for _, writer in others:
            writer.close()


class HeldStore(MemoryClusterStore):
    """A store whose answers wait until it is let go."""

    def __init__(self):
        super().__init__()
        self.go = asyncio.Event()

    async def read_domains(self, domains):
        """Answer once let go."""
        await self.go.wait()
        return await super().read_domains(domains)


async def test_full_queue_answers_at_once():
    """With all turns taken and the queue full a look-up hears 503 at once, not after a time-out."""
    store = HeldStore()
    async with running(store, concurrency=1, queue=1, budget_seconds=60) as gateway:
        waiting = [asyncio.create_task(gateway.get(f"/v1/url?url=http://{n}.example/")) for n in "ab"]
        queue = gateway.server._handlers["url"].__self__._queue
        await until(lambda: queue._inside == 2)
        status, headers, _ = await gateway.get("/v1/url?url=http://c.example/")
        store.go.set()

        assert (503, "1") == (status, headers["Retry-After"])
        assert [200, 200] == [(await one)[0] for one in waiting]


async def test_hanging_store_costs_the_budget():
    """A store that hangs costs a look-up its time budget; the answer is degraded."""
    async with running(HeldStore(), budget_seconds=0.05) as gateway:
        status, _, answer = await gateway.get("/v1/url?url=http://a.example/")

        assert (200, True, "unknown") == (status, answer["degraded"], answer["verdict"])


async def test_rate_is_limited():
    """An address that asks too often hears 429 and when to come back."""
    async with running(address_rate_per_second=1, burst_seconds=3) as gateway:
        answers = [await gateway.get("/v1/nameserver/a.example") for _ in range(5)]

        assert [200, 200, 200, 429, 429] == [status for status, _, _ in answers]
        assert "1" == answers[-1][1]["Retry-After"]


class Shared:
    """Shared permits: so many, then none."""

    def __init__(self, left):
        self.left = left
        self.asked = 0

    async def take(self, key, want, rate, burst):
        """Take permits, or fail."""
        del key, rate, burst
        self.asked += 1
        if self.left is None:
            raise TimeoutError
        taken = min(want, self.left)
        self.left -= taken
        return taken


async def test_shared_permits_are_taken_in_bundles():
    """A process asks for a bundle of permits and spends them without asking again."""
    shared = Shared(100)
    limit = RateLimit("token", 1000, 1, shared)
    for _ in range(100):
        await limit.admit("mx1", 0.0)

    assert 2 == shared.asked
    with pytest.raises(Problem):
        await limit.admit("mx1", 0.0)


async def test_each_process_counts_while_redis_is_away():
    """Without the shared buckets the limit still holds, in each process."""
    limit = RateLimit("token", 10, 1, Shared(None))
    for _ in range(10):
        await limit.admit("mx1", 0.0)
    with pytest.raises(Problem):
        await limit.admit("mx1", 0.0)
