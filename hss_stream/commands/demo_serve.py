"""`demo --serve`: the gateway and the metrics of the demo's own stream, until stopped."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import click

from hss_stream.commands.demo_stream import DemoResult, DemoStream
from hss_stream.gateway.compose import build_server
from hss_stream.gateway.lookups import SpaceStores
from hss_stream.gateway.server import GatewayServer
from hss_stream.observe.gateway_metrics import GatewayMetrics
from hss_stream.observe.health import HealthServer
from hss_stream.settings import Settings
from hss_stream.stream.label_sender import LabelRecord
from hss_stream.stream.memory_log import MemoryLog


class MemoryLabelSender:
    """Sends labels to the embedded broker."""

    def __init__(self, log: MemoryLog, topic: str) -> None:
        self._log = log
        self._topic = topic

    async def send(self, label: LabelRecord) -> None:
        """Return once the label is in the log."""
        await self._log.append(self._topic, label.key, label.to_json())

    async def close(self) -> None:
        """Nothing to let go of."""


async def serve(stream: DemoStream, settings: Settings, metrics_port: int) -> None:
    """Answer look-ups about what the demo has seen, and say how to ask, until SIGINT or SIGTERM."""
    told = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    server = build_server(
        settings.gateway,
        SpaceStores(stream.store, stream.texts, stream.mails),
        metrics=GatewayMetrics(),
        alert_rules=settings.verdict.to_rules(),
        label_sender=MemoryLabelSender(stream.log, stream.topics.labels),
    )
    port = await listen(server, settings)
    for line in advice(stream.result, f"http://{settings.gateway.host}:{port}", metrics_port):
        click.echo(line)
    try:
        await told.wait()
    finally:
        await server.stop()


async def listen(server: GatewayServer, settings: Settings) -> int:
    """Listen on the port of the settings, or on a free one where somebody else has that; return the port."""
    try:
        return await server.start(settings.gateway.host, settings.gateway.port)
    except OSError:
        return await server.start(settings.gateway.host, 0)


@contextmanager
def worker_metrics(stream: DemoStream, settings: Settings) -> Iterator[int]:
    """Answer `/metrics`, `/healthz` and `/readyz` as a worker does; give the port, a free one if need be."""
    try:
        server = HealthServer(stream.health, settings.metrics.host, settings.metrics.port)
    except OSError:
        server = HealthServer(stream.health, settings.metrics.host, 0)
    try:
        yield server.port
    finally:
        server.close()


def advice(result: DemoResult, address: str, metrics_port: int) -> Iterator[str]:
    """Yield commands that ask about what the demo has just seen."""
    spam = {alert["subject"]: alert["subject_id"] for alert in result.alerts if alert["verdict"] == "spam"}
    known = next((one for one in result.attachments.values() if one["cluster"]), None)
    yield f"The gateway answers at {address}, the worker's metrics at port {metrics_port}. Ask, for example:"
    url = spam.get("page") or (known["url"] if known else "http://example.org/")
    yield f"  curl -sG '{address}/v1/url' --data-urlencode 'url={url}'"
    cluster = spam.get("cluster") or (known["cluster"] if known else None)
    if cluster:
        yield f"  curl -s '{address}/v1/cluster/{cluster}'"
    # A small crawl shows too few sites to say anything of a provider: then the answer is `unknown`.
    provider = spam.get("nameserver") or next(iter(result.providers), "example.net")
    yield f"  curl -s '{address}/v1/nameserver/ns1.{provider}'"
    yield "Stop with Ctrl-C."
