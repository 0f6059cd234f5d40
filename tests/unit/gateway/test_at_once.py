"""Kept answers that are sent at once: the same as those that go the long way, and as well guarded."""

import asyncio
import re

import pytest

from hss_stream.gateway.token_file import create_token
from hss_stream.store.memory import MemoryClusterStore
from tests.unit.gateway.running import running

TARGET = b"/v1/url?url=http://a.example/"
SLOW = {b"Date", b"Connection"}


class Connection:
    """One raw connection that reads whole answers."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    async def ask(self, *requests):
        """Send requests in one piece; return head and body of each answer."""
        self.writer.write(b"".join(requests))
        answers = []
        for _ in requests:
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"Content-Length: (\d+)", head)
            answers.append((head, await self.reader.readexactly(int(length[1])) if length else b""))
        return answers


def get(target=TARGET, *headers):
    """Return a request."""
    return b"GET %b HTTP/1.1\r\nHost: x\r\n%b\r\n" % (target, b"".join(one + b"\r\n" for one in headers))


def parts(head):
    """Return the names of the headers, without those that only one way sends."""
    return {line.split(b":")[0] for line in head.split(b"\r\n")[1:] if line} - SLOW


@pytest.fixture
async def connected():
    """A gateway and a connection to it."""
    async with running(cache_seconds=60, address_rate_per_second=1000) as gateway:
        connection = Connection(*await asyncio.open_connection("127.0.0.1", gateway.port))
        yield gateway, connection
        connection.writer.close()


def looked_up(gateway):
    """Return how many requests no kept answer served."""
    return gateway.metric("hss_gateway_cache_total", outcome="miss")


async def test_kept_answer_equals_the_first(connected):
    """The second answer comes at once and says what the first said, with the same headers."""
    gateway, connection = connected
    [(first_head, first)] = await connection.ask(get())
    [(head, body)] = await connection.ask(get())
    took = re.compile(rb'"took_ms":[\d.]+')

    assert 1 == looked_up(gateway)
    assert took.sub(b"", first) == took.sub(b"", body)
    assert parts(first_head) == parts(head)
    assert 2 == gateway.metric("hss_gateway_requests_total", route="url", status="200")
    assert 2 == gateway.metric("hss_lookups_total", kind="url", verdict="unknown")
    assert 1 == gateway.metric("hss_gateway_cache_total", outcome="hit")
    assert 2 == len(gateway.lines())


async def test_pipelined_answers_keep_their_order(connected):
    """Kept and other requests in one packet are answered in the order they came."""
    gateway, connection = connected
    await connection.ask(get())
    other = b"/v1/url?url=http://b.example/"
    answers = await connection.ask(get(), get(other), get(), get(b"/nowhere"), get())
    seen = [b"404" if b" 404 " in head else body.split(b'"domain":"')[1][:1] for head, body in answers]

    assert [b"a", b"b", b"a", b"404", b"a"] == seen
    assert 2 == looked_up(gateway)


@pytest.mark.parametrize("header", [b'If-None-Match: "x"', b"Connection: close", b"Content-Length: 0"])
async def test_unusual_requests_are_answered_too(connected, header):
    """Conditions, closing and bodies go the long way, to the same answer."""
    _, connection = connected
    await connection.ask(get())
    [(head, body)] = await connection.ask(get(TARGET, header))

    assert b" 200 " in head
    assert b'"a.example"' in body
    assert (b"close" in header) == (b"Connection: close" in head)


async def test_kept_answer_needs_a_token(tmp_path):
    """A kept answer is given to nobody who could not have asked for it."""
    _, text = create_token(tmp_path / "tokens", "mx", ("lookup",), "reporter")
    good = b"Authorization: Bearer " + text.encode()
    async with running(tokens=tmp_path / "tokens", cache_seconds=60) as gateway:
        connection = Connection(*await asyncio.open_connection("127.0.0.1", gateway.port))
        answers = await connection.ask(get(TARGET, good), get(TARGET, good), get(), get(TARGET, good + b"x"))
        connection.writer.close()

        assert [b"200", b"200", b"401", b"401"] == [head[9:12] for head, _ in answers]


async def test_kept_answers_are_limited():
    """Kept answers count against the limit of their address like all others."""
    async with running(address_rate_per_second=1, burst_seconds=3, cache_seconds=60) as gateway:
        connection = Connection(*await asyncio.open_connection("127.0.0.1", gateway.port))
        answers = await connection.ask(*[get()] * 5)
        connection.writer.close()

        assert [b"200", b"200", b"200", b"429", b"429"] == [head[9:12] for head, _ in answers]


async def test_change_ends_a_kept_answer(connected):
    """After a change of anything the next request is looked up again."""
    gateway, connection = connected
    await connection.ask(get())
    gateway.server._server.at_once._names.forget(None)
    await connection.ask(get())

    assert 2 == looked_up(gateway)


class BrokenStore(MemoryClusterStore):
    """A store with a mistake in it."""

    async def read_domains(self, domains):
        """Fail in a way nobody thought of."""
        raise RuntimeError(len(domains))


async def test_own_mistake_is_a_500(caplog):
    """A mistake of ours is answered with 500 in the shape of all errors, logged, and ends the connection."""
    async with running(BrokenStore()) as gateway:
        connection = Connection(*await asyncio.open_connection("127.0.0.1", gateway.port))
        [(head, body)] = await connection.ask(get())
        rest = await connection.reader.read()
        connection.writer.close()
        status, _, _ = await gateway.get("/healthz")

    assert (b"500", b"", 200) == (head[9:12], rest, status)
    assert b"urn:hss:problem:failed" in body
    assert "request_failed" in caplog.text
