"""A server tells of changes of what was read: real servers, two connections."""

import asyncio

import pytest

from hss_stream.store.address import StoreAddress
from hss_stream.store.wire import Wire, pack

SCRIPT = b"return redis.call('SET', KEYS[1], ARGV[1])"


@pytest.fixture(params=["valkey", "redis"])
async def wires(request, servers):
    """A connection that is told of changes, what it was told, and one that makes them."""
    address = StoreAddress(path=servers(request.param))
    told = asyncio.Queue()
    watched, other = Wire(address), Wire(address)
    watched.watch(told.put_nowait)
    yield watched, told, other
    await watched.close()
    await other.close()


async def test_change_of_a_read_key_is_told(wires):
    """A key that was read and is changed by a script of somebody else is told, once."""
    watched, told, other = wires
    await other.call("setting", pack(b"SET", b"watched:a", b"1"), 1)

    assert [[b"1", None]] == await watched.call("reading", pack(b"MGET", b"watched:a", b"watched:b"), 1)
    assert watched.is_watched
    for value in (b"2", b"3"):
        await other.call("changing", pack(b"EVAL", SCRIPT, b"1", b"watched:a", value), 1)
    assert [b"watched:a"] == await told.get()
    assert [b"3"] == await watched.call("reading", pack(b"GET", b"watched:a"), 1)
    assert told.empty()


async def test_lost_connection_counts_as_change(wires):
    """A connection that is lost tells that anything may have changed; the next one is watched again."""
    watched, told, _ = wires
    await watched.call("reading", pack(b"GET", b"watched:a"), 1)
    watched.drop(watched.answers)

    assert await told.get() is None
    assert not watched.is_watched
    await watched.call("reading", pack(b"GET", b"watched:a"), 1)
    assert watched.is_watched
