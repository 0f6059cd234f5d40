"""Put a gateway together out of its settings and a store."""

from pathlib import Path
from typing import TextIO

from hss_stream.gateway.at_once import AtOnce
from hss_stream.gateway.breaker import Breaker
from hss_stream.gateway.guard import Guard
from hss_stream.gateway.handlers import Handlers
from hss_stream.gateway.labels import Labels
from hss_stream.gateway.lookups import LookUps, SpaceStores
from hss_stream.gateway.name_cache import NameCache
from hss_stream.gateway.openapi import to_bytes
from hss_stream.gateway.options import GatewaySettings
from hss_stream.gateway.queue import WorkQueue
from hss_stream.gateway.rates import RateLimit, SharedRates
from hss_stream.gateway.server import GatewayServer
from hss_stream.observe.access_log import AccessLog
from hss_stream.observe.gateway_metrics import GatewayMetrics
from hss_stream.steps.page_verdict import AllowLists
from hss_stream.store.redis_providers import RedisProviderStore
from hss_stream.store.redis_store import RedisClusterStore
from hss_stream.stream.label_sender import LabelSender
from hss_stream.verdicts.alert import AlertRules


def build_server(
    settings: GatewaySettings,
    stores: SpaceStores,
    *,
    metrics: GatewayMetrics,
    alert_rules: AlertRules | None = None,
    allow_lists: AllowLists | None = None,
    label_sender: LabelSender | None = None,
    shared_rates: SharedRates | None = None,
    log_stream: TextIO | None = None,
    log_as_json: bool = True,
) -> GatewayServer:
    """Return a server that is ready to start."""
    lookups = LookUps(
        stores,
        breaker=Breaker(settings.breaker_failures, settings.breaker_seconds),
        budget_seconds=settings.budget_seconds,
        alert_rules=alert_rules,
        lists=allow_lists,
    )
    names = _watched_cache(settings, stores)
    access_log = AccessLog(log_stream, as_json=log_as_json)
    handlers = Handlers(
        lookups,
        Labels(lookups, label_sender),
        WorkQueue(settings.concurrency, settings.queue),
        names,
        metrics,
        access_log.hash_subject,
        to_bytes(),
    )
    rates = (
        RateLimit("token", settings.rate_per_second, settings.burst_seconds, shared_rates),
        RateLimit("address", settings.address_rate_per_second, settings.burst_seconds, shared_rates),
    )
    guard = Guard(Path(settings.tokens_file) if settings.tokens_file else None, settings.host)
    at_once = AtOnce(guard, rates, names, metrics, access_log)
    return GatewayServer(settings, guard, rates, lookups, handlers, at_once, metrics, access_log)


def _watched_cache(settings: GatewaySettings, stores: SpaceStores) -> NameCache:
    """Return the kept answers, which the stores tell of changes where they can."""
    kinds = (RedisClusterStore, RedisProviderStore)
    wires = [store.wire for store in (stores.style, stores.providers) if isinstance(store, kinds)]
    names = NameCache(
        settings.cache_names,
        settings.cache_seconds,
        lambda: bool(wires) and all(one.is_watched for one in wires),
    )
    if settings.cache_names:
        for wire in wires:
            wire.watch(names.forget)
    return names
