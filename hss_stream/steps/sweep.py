"""Forget what is past its life time: unindex dead clusters, bury them, and tell of it.

May be run at any time, by anybody, and be cut off anywhere: what was dead stays dead, and every burial is
noted in the script that makes it until its event is out. It decides nothing: whether a cluster lives
is judged by its shard's clock, never by whether the sweep has been there.
"""

from collections.abc import AsyncIterator

from hss_stream.steps.apply_pins import settle
from hss_stream.steps.events import Event
from hss_stream.steps.page_events import expired_event
from hss_stream.store.cluster_store import ClusterStore

SWEEP_LIMIT = 200


async def sweep_shard(store: ClusterStore, shard: int, limit: int = SWEEP_LIMIT) -> int:
    """Bury at most so many dead clusters of a shard; return how many."""
    dead = await store.find_dead(shard, limit)
    if not dead:
        return 0
    for one in dead:
        if one.into:
            # A crash may have left counts behind: they go to the survivor before the id is forgotten.
            await settle(store, one.space, one.cluster)
    await store.unindex([representative for one in dead for representative in one.representatives])
    return await store.bury(shard, [(one.space, one.cluster) for one in dead])


async def sweep(store: ClusterStore) -> int:
    """Bury every dead cluster; return how many."""
    buried = 0
    for shard in range(store.shards):
        while some := await sweep_shard(store, shard):
            buried += some
    return buried


async def expired_events(store: ClusterStore, limit: int = SWEEP_LIMIT) -> AsyncIterator[list[Event]]:
    """Yield the events of noted burials in bundles; asking for the next one forgets the last."""
    for shard in range(store.shards):
        while noted := await store.read_expired(shard, limit):
            yield [expired_event(shard, one) for one in noted]
            await store.forget_expired(shard, len(noted))
