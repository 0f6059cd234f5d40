"""Reads of many look-ups go together, and nobody waits longer than its budget."""

import asyncio
from time import monotonic

import numpy as np
import pytest

from hss_stream.errors import StoreError
from hss_stream.gateway.gathered_reads import Gathered, GatheredReads, noted_keys, set_deadline
from hss_stream.store.keys import Keys
from hss_stream.store.memory import MemoryClusterStore


class Reader:
    """A read that waits until it is let go, and remembers what it was asked."""

    def __init__(self):
        self.asked = []
        self.go = asyncio.Event()
        self.error = None

    async def __call__(self, keys):
        """Return the keys as values."""
        self.asked.append(keys)
        await self.go.wait()
        if self.error is not None:
            raise self.error
        return keys


async def test_reads_go_together():
    """What comes while a read is on its way goes out as one; each gets its own values."""
    read = Reader()
    gathered = Gathered(read, 30.0)
    first = gathered([1])
    await asyncio.sleep(0)
    others = [gathered([2, 3]), gathered([]), gathered([4])]
    read.go.set()

    assert [[1], [2, 3], [], [4]] == [await one for one in (first, *others)]
    assert [[1], [2, 3, 4]] == read.asked


async def test_failure_reaches_all_of_a_read():
    """A store that fails fails those of that read; the next ones are read again."""
    read = Reader()
    read.error = StoreError("away")
    read.go.set()
    gathered = Gathered(read, 30.0)
    failed = await asyncio.gather(gathered([1]), gathered([2]), return_exceptions=True)
    read.error = None

    assert ["StoreError"] * 2 == [type(one).__name__ for one in failed]
    assert [3] == await gathered([3])


async def test_budget_ends_a_wait():
    """A read that hangs costs those who wait their budget, then it is given up and the next one goes."""
    read = Reader()
    gathered = Gathered(read, 0.05)
    set_deadline(monotonic() + 0.05)
    with pytest.raises(TimeoutError):
        await gathered([1])
    read.go.set()
    set_deadline(monotonic() + 30)

    assert [2] == await gathered([2])


async def test_keys_read_are_noted():
    """A look-up that asks for it is told which keys it has read."""
    keys = Keys("hss", 16)
    reads = GatheredReads(MemoryClusterStore(), 30.0, keys)
    noted = noted_keys()
    await reads.read_domains([7])
    await reads.read_clusters("s", [256])

    assert {keys.domain(7), keys.named("s", 256)} == noted


class Buckets(MemoryClusterStore):
    """A store with known hits: each word's upper half is the name it finds."""

    async def read_buckets(self, words, first_probe):
        """Find every other word."""
        hits = await super().read_buckets(words, first_probe)
        rows, columns = np.nonzero(words % 2)
        order = np.argsort(columns, kind="stable")
        return hits._replace(rows=rows[order], representatives=words[rows, columns][order].astype(np.uint64))


async def test_documents_get_their_own_hits():
    """Documents looked up together find what each would find alone."""
    store = Buckets()
    documents = np.arange(1, 61, dtype=np.uint32).reshape(3, 1, 20)
    documents[1] *= 2
    reads = GatheredReads(store, 30.0)
    together = await asyncio.gather(*(reads.read_buckets(one, 0) for one in documents))
    alone = [await store.read_buckets(one, 0) for one in documents]

    assert [one.representatives.tolist() for one in alone] == [
        one.representatives.tolist() for one in together
    ]


async def test_clocks_are_read_once_a_moment():
    """Look-ups share the clocks of a moment."""
    store = MemoryClusterStore()
    calls = []

    async def read_clocks():
        calls.append(1)
        return [0] * store.shards

    store.read_clocks = read_clocks
    reads = GatheredReads(store, 30.0)
    for _ in range(3):
        await reads.read_clocks()

    assert [1] == calls
