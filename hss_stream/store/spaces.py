"""Stores of the other spaces: on the same server, each under a prefix of its own.

Clocks, fences, pins and indexes are thereby apart, and what is decided in one space never depends on how
far another has come.
"""

from hss_stream.store.cluster_store import ClusterStore
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.store.memory_providers import MemoryProviderStore
from hss_stream.store.provider_store import ProviderStore
from hss_stream.store.redis_providers import RedisProviderStore
from hss_stream.store.redis_store import RedisClusterStore
from hss_stream.verdicts.cluster_rules import ClusterRules


def sibling_store(store: ClusterStore, space: str, rules: ClusterRules) -> ClusterStore:
    """Return the store of another space beside this one, not opened yet; `space` is its name."""
    if isinstance(store, RedisClusterStore):
        wire, prefix = store.wire, f"{store.keys.prefix}.{space}"
        return RedisClusterStore(
            wire.address, rules, prefix=prefix, shards=store.shards, away_seconds=wire.away_seconds
        )
    return MemoryClusterStore(rules, shards=store.shards)


def sibling_providers(store: ClusterStore) -> ProviderStore:
    """Return the store of name-server providers beside this one, not opened yet."""
    if isinstance(store, RedisClusterStore):
        wire, prefix = store.wire, f"{store.keys.prefix}.sites"
        return RedisProviderStore(
            wire.address, prefix=prefix, shards=store.shards, away_seconds=wire.away_seconds
        )
    return MemoryProviderStore(shards=store.shards)
