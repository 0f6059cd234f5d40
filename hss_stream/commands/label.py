"""`hss-stream label`: say what a cluster, page or message is."""

import asyncio
import getpass
from datetime import UTC, datetime
from typing import Any

import click

from hss_stream.commands.spaces import open_spaces
from hss_stream.settings import Settings, load_settings
from hss_stream.steps.apply_label import ApplyLabels, LabelResult, LabelToApply
from hss_stream.steps.events import Origin
from hss_stream.stream.connection import bootstrap_servers, client_options
from hss_stream.stream.label_sender import KafkaLabelSender, LabelRecord
from hss_stream.stream.topics import Topics
from hss_stream.verdicts.cluster_id import STYLE

SUBJECTS = ("cluster", "url", "mail", "nameserver")


@click.command()
@click.argument("subject", type=click.Choice(SUBJECTS))
@click.argument("name", metavar="ID")
@click.argument("label", type=click.Choice(["spam", "ham", "none"]))
@click.option("--role", type=click.Choice(["editor", "reporter"]), default="editor", show_default=True)
@click.option(
    "--client", default="cli", show_default=True, help="Who vouches; reporters count once a client."
)
@click.option("--note", default="", help="Why, for the audit trail.")
@click.option("--store", help="Apply to this store at once, without Kafka: embedded://PATH or redis://…")
@click.option("--json", "as_json", is_flag=True, help="With --store: the events, one JSON object a line.")
def command(
    subject: str, name: str, label: str, role: str, client: str, note: str, store: str | None,
    as_json: bool,  # noqa: FBT001 - click gives flags so
) -> None:  # fmt: skip
    """Say that a cluster, page (url or fingerprint) or message is spam, ham or none of both.

    The label goes to Kafka, and counts once a worker has applied it; with --store it is applied here.
    Exit code 1: it found nothing to label.
    """
    fields = {
        "format": 1, "subject": subject, "id": name, "label": label, "role": role, "client": client,
        "by": getpass.getuser(), "at": datetime.now(UTC).isoformat(timespec="milliseconds"), "note": note,
    }  # fmt: skip
    settings = load_settings()
    if store is None:
        asyncio.run(_send(settings, fields))
        click.echo(f"{subject} {name}: {label} is in Kafka; a worker applies it")
        return
    result = asyncio.run(_apply(settings, store, fields))
    alerts = sum(event.kind == "alert" for event in result.events)
    told = (
        f"{result.outcome}{': ' + result.why if result.why else ''}{f', {alerts} alerts' if alerts else ''}"
    )
    click.echo(f"{result.cluster or name}: {told}", err=as_json)
    for event in result.events if as_json else ():
        click.echo(event.encode())
    if result.outcome == "refused":
        raise SystemExit(1)


async def _send(settings: Settings, fields: dict[str, Any]) -> None:
    settings.require_kafka()
    topic = Topics(settings.topic_prefix).labels
    options = client_options(settings.kafka)
    sender = KafkaLabelSender(bootstrap_servers(settings.broker), topic, options)
    try:
        await sender.send(LabelRecord(**{key: value for key, value in fields.items() if key != "format"}))
    finally:
        await sender.close()


async def _apply(settings: Settings, address: str, fields: dict[str, Any]) -> LabelResult:
    async with open_spaces(settings, address) as stores:
        step = ApplyLabels(stores, settings.verdict.to_rules(), settings.verdict.quorum)
        # A run of its own for each call, so that its events have ids nobody else has.
        origin = Origin("label", str(await stores[STYLE].new_run()), 0, 0)
        [result] = await step([LabelToApply(origin, int(datetime.now(UTC).timestamp() * 1000), fields)])
        return result
