"""`hss-stream labels`: the audit trail, what people said and what it leads to now."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

import click
import orjson
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from hss_stream.commands.spaces import open_spaces
from hss_stream.errors import StreamError
from hss_stream.settings import Settings, load_settings
from hss_stream.steps.events import rfc3339
from hss_stream.steps.find_labelled import FindLabelled, Refused
from hss_stream.stream.connection import bootstrap_servers, client_options
from hss_stream.stream.topics import Topics

SHOWN = ("subject", "id", "label", "role", "client", "by", "note")
ID_CHARACTERS = 40


@click.command()
@click.option("--subject", help="Only labels of this subject: cluster, url, mail or nameserver.")
@click.option("--id", "name", help="Only labels of this id.")
@click.option("--client", help="Only labels of this client.")
@click.option("--limit", default=100, show_default=True, help="At most this many, the newest.")
@click.option("--now/--no-now", default=True, help="Also tell which cluster each leads to, and its label.")
@click.option("--store", help="Address of the store; HSS_REDIS if not given.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a label.")
def command(
    subject: str | None, name: str | None, client: str | None, limit: int, now: bool, store: str | None,  # noqa: FBT001 - click gives flags so
    as_json: bool,  # noqa: FBT001 - as above
) -> None:  # fmt: skip
    """Print the audit trail of labels out of Kafka, oldest first."""
    settings = load_settings()
    settings.require_kafka()
    wanted = {"subject": subject, "id": name, "client": client}
    for row in asyncio.run(_rows(settings, wanted, limit, store if now else "", now=now)):
        if as_json:
            click.echo(orjson.dumps(row))
            continue
        led = f"  now {row['cluster'] or '-'} {row['in_force'] or row['why']}" if now else ""
        told = f"{row['label']:<4}  {row['role']:<8}  {row['client']}"
        click.echo(f"{row['at']}  {row['subject']} {row['id'][:ID_CHARACTERS]}  {told}{led}")


async def _rows(
    settings: Settings, wanted: dict[str, str | None], limit: int, store: str | None, *, now: bool
) -> list[dict[str, Any]]:
    kept: deque[dict[str, Any]] = deque(maxlen=limit)
    async for row in read_trail(settings):
        if all(value is None or row[field] == value for field, value in wanted.items()):
            kept.append(row)
    rows = sorted(kept, key=lambda row: (row["at"], row["origin"]))
    if now:
        async with open_spaces(settings, store) as stores:
            find = FindLabelled(stores)
            for row in rows:
                row.update(await _in_force(find, row))
    return rows


async def _in_force(find: FindLabelled, row: dict[str, Any]) -> dict[str, str | None]:
    found = await find(row["subject"], row["id"])
    if isinstance(found, Refused):
        return {"cluster": None, "in_force": None, "why": found.why}
    return {"cluster": found.name, "in_force": found.label, "why": None}


async def read_trail(settings: Settings) -> AsyncIterator[dict[str, Any]]:
    """Yield every label in Kafka up to now; what is no label is left out."""
    topic = Topics(settings.topic_prefix).labels
    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap_servers(settings.broker), enable_auto_commit=False,
        **client_options(settings.kafka),
    )  # fmt: skip
    try:
        await consumer.start()
        partitions = [TopicPartition(topic, one) for one in await _partitions(consumer, topic)]
        consumer.assign(partitions)
        ends = await consumer.end_offsets(partitions)
        await consumer.seek_to_beginning(*partitions)
        for partition, end in ends.items():
            while await consumer.position(partition) < end:
                batches = await consumer.getmany(partition, timeout_ms=1000)
                for record in batches.get(partition, ()):
                    if (row := shown_label(record)) is not None:
                        yield row
    except KafkaError as error:
        raise StreamError(f"reading {topic}: {type(error).__name__}; is Kafka running?") from error
    finally:
        await consumer.stop()


async def _partitions(consumer: Any, topic: str) -> set[int]:
    await consumer.topics()
    return consumer.partitions_for_topic(topic) or set()


def shown_label(record: Any) -> dict[str, Any] | None:
    """Return a label of the trail as it is printed; None for what is no label."""
    try:
        said = orjson.loads(record.value or b"")
    except orjson.JSONDecodeError:
        return None
    if not isinstance(said, dict):
        return None
    fields = {name: str(said.get(name, "")) for name in SHOWN}
    origin = [record.topic, record.partition, record.offset]
    return {"at": rfc3339(record.timestamp), **fields, "origin": origin}
