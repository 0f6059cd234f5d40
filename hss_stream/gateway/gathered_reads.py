"""Reads of many look-ups, sent to the store together.

A read of one record costs a gateway ten times what a further record in the same read does. So while one read
of a kind is on its way, those that come meanwhile are gathered, and go out as one when it is back. Nothing
is delayed on an idle gateway. Clocks, which only tell the dead from the living, may be a moment old.

Which keys a look-up has read is noted for it where it asks for that (`noted_keys`): its answer may be kept
until one of them changes.
"""

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from time import monotonic
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from hss_stream.errors import StoreError
from hss_stream.store.cluster_store import BucketHits, ClusterReads
from hss_stream.store.keys import Keys
from hss_stream.store.provider_records import ProviderRecord
from hss_stream.store.provider_store import ProviderReads
from hss_stream.store.records import ClusterRecord, DomainRecord, RepresentativeRecord
from hss_stream.store.redis_providers import RedisProviderStore

Key = TypeVar("Key")
Value = TypeVar("Value")

CLOCK_SECONDS = 1.5
# Keys of one read, about; what waits beyond them goes with the next.
MOST_KEYS = 4096

# How often waiting reads are looked at, as a share of their budget.
SWEEP_SHARE = 0.1

_noted: ContextVar[set[bytes] | None] = ContextVar("noted", default=None)
_deadline: ContextVar[float] = ContextVar("deadline", default=math.inf)


def set_deadline(until: float) -> None:
    """Give the reads of this task until then (a time of `monotonic`)."""
    _deadline.set(until)


def deadline() -> float:
    """Return when the reads of this task end."""
    return _deadline.get()


def noted_keys() -> set[bytes]:
    """Return what will hold the keys that the look-ups of this task read from now on."""
    keys: set[bytes] = set()
    _noted.set(keys)
    return keys


class _Asked(Generic[Key, Value]):
    """Somebody who waits for values."""

    __slots__ = ("future", "keys", "until")

    def __init__(self, keys: Sequence[Key], future: "asyncio.Future[list[Value]]", until: float) -> None:
        self.keys = keys
        self.future = future
        self.until = until

    def fail(self, error: BaseException) -> None:
        """Let it know that there will be none."""
        if not self.future.done():
            self.future.set_exception(error)


class Gathered(Generic[Key, Value]):
    """One kind of read: values by key, in the order asked, or TimeoutError when the budget is spent.

    One timer for all who wait, while somebody waits: a timer for each would cost as much as its read.
    """

    def __init__(self, read: Callable[[list[Key]], Awaitable[Sequence[Value]]], seconds: float) -> None:
        self._read = read
        self._seconds = seconds
        self._waiting: deque[_Asked[Key, Value]] = deque()
        self._on_its_way: list[_Asked[Key, Value]] = []
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def __call__(self, keys: Sequence[Key]) -> "asyncio.Future[list[Value]]":
        """Return what will hold the values of some keys."""
        loop = asyncio.get_running_loop()
        asked: _Asked[Key, Value] = _Asked(keys, loop.create_future(), deadline())
        self._waiting.append(asked)
        if self._task is None:
            self._begin(loop)
        if self._timer is None:
            self._timer = loop.call_later(self._seconds * SWEEP_SHARE, self._sweep)
        return asked.future

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        self._task = loop.create_task(self._run())
        self._task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        """Hand a mistake of the store's to those who wait for it."""
        if task.cancelled() or (error := task.exception()) is None:
            return
        for one in self._on_its_way:
            one.fail(error)
        self._task = None
        if self._waiting:
            self._begin(asyncio.get_running_loop())

    async def _run(self) -> None:
        """Read until nobody waits any more."""
        while self._waiting:
            count = 0
            asked = self._on_its_way = []
            while self._waiting and count < MOST_KEYS:
                asked.append(self._waiting.popleft())
                count += len(asked[-1].keys)
            try:
                values = await self._read([key for one in asked for key in one.keys])
            except StoreError as error:
                for one in asked:
                    one.fail(error)
                continue
            place = 0
            for one in asked:
                end = place + len(one.keys)
                if not one.future.done():
                    one.future.set_result(list(values[place:end]))
                place = end
        self._task = None

    def _sweep(self) -> None:
        """Let go of those whose budget is spent; a read that none of them waits for any more is given up."""
        now = monotonic()
        for one in (*self._on_its_way, *self._waiting):
            if one.until <= now:
                one.fail(TimeoutError("the store did not answer in time"))
        loop = asyncio.get_running_loop()
        if self._task is not None and all(one.future.done() for one in self._on_its_way):
            self._task.cancel()
            self._task = loop.create_task(self._run()) if self._waiting else None
        self._timer = (
            None if self._task is None else loop.call_later(self._seconds * SWEEP_SHARE, self._sweep)
        )


class GatheredReads:
    """What look-ups read of one store; `keys` names what they read, where the store tells of changes."""

    def __init__(self, store: ClusterReads, seconds: float, keys: Keys | None = None) -> None:
        self.shards = store.shards
        self._store = store
        self._keys = keys
        self._domains = Gathered(store.read_domains, seconds)
        self._representatives = Gathered(store.read_representatives, seconds)
        self._words = Gathered(self._read_rows, seconds)
        self._fresh_clocks = Gathered(self._read_clocks, seconds)
        self._clusters: dict[str, Gathered[int, ClusterRecord | None]] = {}
        self._seconds = seconds
        self._clocks: list[int] = []
        self._clocks_until = 0.0

    async def read_domains(self, domains: Sequence[int]) -> list[DomainRecord | None]:
        """Return the records of domains."""
        noted = _noted.get()
        if noted is not None and self._keys is not None:
            noted.update(map(self._keys.domain, domains))
        return await self._domains(domains)

    async def read_clusters(self, space: str, clusters: Sequence[int]) -> list[ClusterRecord | None]:
        """Return the records of clusters."""
        noted = _noted.get()
        if noted is not None and self._keys is not None:
            noted.update(self._keys.named(space, cluster) for cluster in clusters)
        read = self._clusters.get(space)
        if read is None:
            store = self._store
            read = self._clusters[space] = Gathered(
                lambda keys: store.read_clusters(space, keys), self._seconds
            )
        return await read(clusters)

    async def read_representatives(self, identities: Sequence[int]) -> list[RepresentativeRecord | None]:
        """Return representatives, which never change."""
        return await self._representatives(identities)

    async def read_buckets(self, words: NDArray[np.uint32], first_probe: int) -> BucketHits:
        """Look the words of one document up in the index, all probes at once."""
        if first_probe or len(words) != 1:
            return await self._store.read_buckets(words, first_probe)
        return (await self._words([words[0]]))[0]

    async def _read_rows(self, rows: list[NDArray[np.uint32]]) -> list[BucketHits]:
        hits = await self._store.read_buckets(np.stack(rows), 0)
        # What is found comes in no order of rows.
        order = np.argsort(hits.rows, kind="stable")
        names = hits.representatives[order]
        ends = np.searchsorted(hits.rows[order], np.arange(len(rows) + 1)).tolist()
        return [
            BucketHits(
                np.zeros(ends[row + 1] - ends[row], np.int64),
                names[ends[row] : ends[row + 1]],
                hits.entries[row : row + 1],
                hits.bucket_bytes[row : row + 1],
            )
            for row in range(len(rows))
        ]

    async def read_clocks(self) -> list[int]:
        """Return the clock of each shard, at most a second or so old."""
        if monotonic() >= self._clocks_until:
            await self.refresh_clocks()
        return self._clocks

    async def refresh_clocks(self) -> None:
        """Read the clocks; a gateway that does so every second spares its look-ups the read."""
        self._clocks = (await self._fresh_clocks([None]))[0]
        self._clocks_until = monotonic() + CLOCK_SECONDS

    async def _read_clocks(self, asked: list[None]) -> list[list[int]]:
        return [await self._store.read_clocks()] * len(asked)


class GatheredProviders:
    """What look-ups read of a store of providers."""

    def __init__(self, store: ProviderReads, seconds: float) -> None:
        self._store = store
        self._heads = Gathered(store.read_heads, seconds)

    async def read_heads(self, providers: Sequence[int]) -> list[ProviderRecord | None]:
        """Return the records of providers."""
        noted = _noted.get()
        if noted is not None and isinstance(self._store, RedisProviderStore):
            noted.update(map(self._store.head_key, providers))
        return await self._heads(providers)
