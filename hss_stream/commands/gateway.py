"""`hss-stream gateway`: answer look-ups over HTTP until stopped."""

import asyncio
import gc
import os
import resource
import signal

import click
import uvloop

from hss_stream.errors import SettingsError, StoreError
from hss_stream.gateway.compose import build_server
from hss_stream.gateway.lookups import SpaceStores
from hss_stream.gateway.redis_rates import RedisRates
from hss_stream.gateway.supervise import supervise
from hss_stream.gateway.tls import server_context
from hss_stream.observe import log
from hss_stream.observe.gateway_metrics import GatewayMetrics
from hss_stream.settings import Settings, load_settings
from hss_stream.steps.judge_pages import TEXT_RULES
from hss_stream.steps.look_up_mail import read_mail
from hss_stream.steps.text_signals import use_text_options
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.store.open_store import make_store
from hss_stream.store.provider_store import ProviderStore
from hss_stream.store.redis_store import RedisClusterStore
from hss_stream.store.spaces import sibling_providers, sibling_store
from hss_stream.store.wire import Wire
from hss_stream.stream.connection import bootstrap_servers, client_options
from hss_stream.stream.label_sender import KafkaLabelSender
from hss_stream.stream.topics import Topics

REOPEN_SECONDS = 1.0
# Objects made, less those freed, between two collections of the young; Python's own default is 700.
GC_OBJECTS = 20_000
WARM_UP = b"Subject: x\nContent-Type: text/html\n\n<p>Some words of a message.</p>"


@click.command()
@click.option("--one-of-several", "shared_port", type=int, hidden=True, help="Port given by the supervisor.")
def command(shared_port: int | None) -> None:
    """Answer look-ups over HTTP (see docs/http-api.md) until stopped."""
    settings = load_settings()
    use_text_options(settings.faketext.to_options())
    log.set_up_logging(settings.log_level, settings.log_format)
    if settings.redis == "embedded://" or settings.broker == "memory://":
        raise SettingsError(
            "starting the gateway: embedded:// without a path and memory:// hold nothing of the workers'; "
            "set HSS_REDIS and HSS_BROKER to what the workers use"
        )
    _raise_file_limit()
    if shared_port is None and settings.gateway.processes > 1:
        supervise(settings.gateway.host, settings.gateway.port, settings.gateway.processes)
        return
    uvloop.run(_serve(settings, shared_port))


def _raise_file_limit() -> None:
    """Allow as many connections as the system does."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def _serve(settings: Settings, shared_port: int | None) -> None:
    own = settings.gateway
    stores = _make_stores(settings)
    sender = _label_sender(settings)
    server = build_server(
        own,
        stores,
        metrics=GatewayMetrics(),
        alert_rules=settings.verdict.to_rules(),
        allow_lists=settings.verdict.to_lists(),
        label_sender=sender,
        shared_rates=_shared_rates(stores.style, settings.store.prefix),
        log_as_json=settings.log_format == "json",
    )
    # The first message would otherwise wait for models and kernels to load.
    read_mail(WARM_UP)
    _spare_collections()
    port = await server.start(own.host, own.port if shared_port is None else shared_port, server_context(own))
    log.info("gateway_started", host=own.host, port=port, pid=os.getpid())
    opening = [asyncio.create_task(_open(one)) for one in stores.all()]
    try:
        await _until_told(supervisor=None if shared_port is None else os.getppid())
    finally:
        log.info("gateway_stopping", pid=os.getpid())
        for task in opening:
            task.cancel()
        await server.stop()
        await sender.close()
        for one in stores.all():
            await one.close()


def _spare_collections() -> None:
    """Leave what was loaded so far out of garbage collections, and have fewer of them.

    Half a million objects of libraries live as long as the process; looking through them stopped all answers
    for a tenth of a second now and then.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_OBJECTS, 20, 100)


def _make_stores(settings: Settings) -> SpaceStores:
    # A look-up must not wait for a store that is away: the budget is the limit, not the worker's patience.
    style = make_store(
        settings.redis,
        prefix=settings.store.prefix,
        shards=settings.store.shards,
        away_seconds=settings.gateway.budget_seconds,
    )
    text, mail = (sibling_store(style, name, TEXT_RULES) for name in ("text", "mail"))
    return SpaceStores(style, text, mail, sibling_providers(style))


def _shared_rates(store: ClusterStore, prefix: str) -> RedisRates | None:
    # On a connection of its own: the store's is told of every change of what was read on it.
    if not isinstance(store, RedisClusterStore):
        return None
    return RedisRates(Wire(store.wire.address, store.wire.away_seconds), prefix)


def _label_sender(settings: Settings) -> KafkaLabelSender:
    topic = Topics(settings.topic_prefix).labels
    return KafkaLabelSender(bootstrap_servers(settings.broker), topic, client_options(settings.kafka))


async def _open(store: ClusterStore | ProviderStore) -> None:
    """Open the store, whenever it comes: until then answers are degraded."""
    while True:
        try:
            await store.open()
        except StoreError as error:
            log.warn("store_away", problem=str(error))
            await asyncio.sleep(REOPEN_SECONDS)
        else:
            return


async def _until_told(supervisor: int | None) -> None:
    """Return on SIGTERM or SIGINT, or when the supervisor is gone."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    while not told.is_set() and (supervisor is None or os.getppid() == supervisor):
        try:
            async with asyncio.timeout(1.0):
                await told.wait()
        except TimeoutError:
            continue
