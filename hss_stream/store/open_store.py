"""Open the store that a setting or an option names."""

from hss_stream.errors import SettingsError
from hss_stream.store.address import StoreAddress, parse_address
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.store.embedded import EmbeddedServer
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.store.redis_store import RedisClusterStore
from hss_stream.verdicts.cluster_class import ClassLimits
from hss_stream.verdicts.cluster_rules import ClusterRules

EMBEDDED = "embedded://"


class EmbeddedClusterStore(RedisClusterStore):
    """A store on an embedded server, which runs while this is open."""

    def __init__(
        self, server: EmbeddedServer, rules: ClusterRules, limits: ClassLimits, **more: object
    ) -> None:
        super().__init__(StoreAddress(path=server.start()), rules, limits, **more)  # type: ignore[arg-type] # passed on
        self.server = server

    async def close(self) -> None:
        """Close the connection and stop using the server."""
        await super().close()
        self.server.stop()


def make_store(
    url: str,
    rules: ClusterRules | None = None,
    limits: ClassLimits | None = None,
    *,
    prefix: str = "hss",
    shards: int = 16,
    away_seconds: float = 30.0,
) -> ClusterStore:
    """Return the store of an address, not opened yet: `memory`, `embedded://[PATH]`, `redis://…`."""
    rules, limits = rules or ClusterRules(), limits or ClassLimits()
    if url in {"memory", "memory://"}:
        return MemoryClusterStore(rules, limits, shards)
    if url.startswith(EMBEDDED):
        server = EmbeddedServer(url.removeprefix(EMBEDDED))
        return EmbeddedClusterStore(
            server, rules, limits, prefix=prefix, shards=shards, away_seconds=away_seconds
        )
    if "://" not in url:
        raise SettingsError(
            f"opening the store: {url!r} is no address; give memory, embedded://PATH or redis://…"
        )
    return RedisClusterStore(
        parse_address(url), rules, limits, prefix=prefix, shards=shards, away_seconds=away_seconds
    )
