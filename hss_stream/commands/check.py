"""`hss-stream check`: are the settings right, and do Kafka and the store answer?"""

import asyncio
import json
import sys

import click

from hss_stream.app import open_lasting_store
from hss_stream.errors import HssError
from hss_stream.settings import Settings, load_settings
from hss_stream.stream.admin import admin_client, missing_topics
from hss_stream.stream.connection import bootstrap_servers, client_options
from hss_stream.stream.topics import Topics


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(*, as_json: bool) -> None:
    """Check the settings, Kafka with its topics, and the store; exit 1 if something is wrong."""
    settings = load_settings()
    settings.require_kafka()
    settings.require_lasting_store()
    results = asyncio.run(_check(settings))
    for name, problem in results.items():
        line = json.dumps({"check": name, "ok": not problem, "problem": problem or None})
        click.echo(line if as_json else f"{name}: {problem or 'ok'}")
    sys.exit(1 if any(results.values()) else 0)


async def _check(settings: Settings) -> dict[str, str]:
    return {"settings": "", "kafka": await _check_kafka(settings), "store": await _check_store(settings)}


async def _check_kafka(settings: Settings) -> str:
    servers, options = bootstrap_servers(settings.broker), client_options(settings.kafka)
    try:
        async with admin_client(servers, options) as client:
            missing = await missing_topics(client, Topics(settings.topic_prefix).plans())
    except HssError as error:
        return str(error)
    return f"missing {', '.join(missing)}; run `hss-stream topics create`" if missing else ""


async def _check_store(settings: Settings) -> str:
    try:
        store = await open_lasting_store(settings)
    except HssError as error:
        return str(error)
    await store.close()
    return ""
