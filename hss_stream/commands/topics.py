"""`hss-stream topics`: create the topics the stream reads and writes."""

import asyncio
import json

import click

from hss_stream.settings import Settings, load_settings
from hss_stream.stream.admin import admin_client, create_topics
from hss_stream.stream.connection import bootstrap_servers, client_options
from hss_stream.stream.topics import DEFAULT_PARTITIONS, Topics


@click.group()
def command() -> None:
    """Create the topics the stream reads and writes."""


@command.command()
@click.option("--partitions", default=DEFAULT_PARTITIONS, show_default=True, type=click.IntRange(1, 4096))
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def create(*, partitions: int, as_json: bool) -> None:
    """Create what is missing, with its retention and compaction; what is there stays as it is."""
    settings = load_settings()
    settings.require_kafka()
    for name, result in asyncio.run(_create(settings, partitions)).items():
        line = json.dumps({"topic": name, "result": result, "partitions": partitions})
        click.echo(line if as_json else f"{name}: {result}")


async def _create(settings: Settings, partitions: int) -> dict[str, str]:
    async with admin_client(bootstrap_servers(settings.broker), client_options(settings.kafka)) as client:
        plans = Topics(settings.topic_prefix).plans()
        return dict(await create_topics(client, plans, partitions, settings.kafka.replication))
