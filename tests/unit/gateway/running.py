"""A gateway on a free port over the store in memory, and plain HTTP to talk to it."""

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from hss_stream.gateway.compose import build_server
from hss_stream.gateway.lookups import SpaceStores
from hss_stream.gateway.options import GatewaySettings
from hss_stream.gateway.server import GatewayServer
from hss_stream.observe.gateway_metrics import GatewayMetrics
from hss_stream.store.memory import MemoryClusterStore


@dataclass
class Gateway:
    """What tests hold of a running gateway."""

    server: GatewayServer
    port: int
    metrics: GatewayMetrics
    log: io.StringIO
    client: aiohttp.ClientSession

    def url(self, path):
        """Return the address of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    async def get(self, path, **options):
        """Return status, headers and JSON (or text) of an answer."""
        return await self.call("GET", path, **options)

    async def call(self, method, path, **options):
        """Return status, headers and JSON (or text) of an answer."""
        async with self.client.request(method, self.url(path), **options) as answer:
            body = await answer.read()
            is_json = answer.content_type.endswith("json") and body
            return answer.status, answer.headers, await answer.json() if is_json else body.decode()

    def metric(self, name, **labels):
        """Return the value of a metric."""
        self.metrics.flush()
        return self.metrics.registry.get_sample_value(name, labels) or 0.0

    def lines(self):
        """Return the access lines so far."""
        self.server._access_log.flush()
        return self.log.getvalue().splitlines()


@asynccontextmanager
async def running(
    store=None, *, stores=None, tokens: Path | None = None, labels=None, lists=None, **options
) -> AsyncIterator[Gateway]:
    """Run a gateway for a while."""
    options.setdefault("budget_seconds", 30.0)  # kernels may compile in the first look-up
    settings = GatewaySettings(port=0, tokens_file=str(tokens) if tokens else None, **options)
    metrics, log = GatewayMetrics(), io.StringIO()
    server = build_server(
        settings,
        stores or SpaceStores(store or MemoryClusterStore()),
        metrics=metrics,
        log_stream=log,
        label_sender=labels,
        allow_lists=lists,
    )
    port = await server.start("127.0.0.1", 0)
    async with aiohttp.ClientSession() as client:
        try:
            yield Gateway(server, port, metrics, log, client)
        finally:
            await server.stop(1.0)
