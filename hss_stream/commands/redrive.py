"""`hss-stream redrive`: send dead letters back, once the cause is mended."""

import asyncio
import dataclasses
import json
import sys

import click

from hss_stream.settings import Settings, load_settings
from hss_stream.stream.connection import bootstrap_servers, client_options
from hss_stream.stream.redrive import REASONS, RedrivePlan, Redriver
from hss_stream.stream.topics import Topics


@click.command()
@click.option(
    "--reason", "reasons", multiple=True, type=click.Choice(REASONS), help="Only these; all without."
)
@click.option("--dry-run", is_flag=True, help="Say what would be sent, send nothing.")
@click.option("--rate", type=click.FloatRange(min=0.001), help="Most letters a second.")
@click.option("--limit", type=click.IntRange(1), help="Most letters in all.")
@click.option("--most", default=3, show_default=True, help="A page redriven that often stays.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(
    *,
    reasons: tuple[str, ...],
    dry_run: bool,
    rate: float | None,
    limit: int | None,
    most: int,
    as_json: bool,
) -> None:
    """Send dead letters back to the topic they came from; exit 1 if some had to stay.

    A letter is sent back once, however often this runs. Letters of which only the beginning was kept
    are refused: their origin is printed, feed those pages again.
    """
    settings = load_settings()
    settings.require_kafka()
    wanted = tuple(reason for reason in REASONS if not reasons or reason in reasons)
    plan = RedrivePlan(wanted, dry_run, most, limit, 1 / rate if rate else 0.0)
    sys.exit(asyncio.run(_redrive(settings, plan, as_json=as_json)))


async def _redrive(settings: Settings, plan: RedrivePlan, *, as_json: bool) -> int:
    servers, options = bootstrap_servers(settings.broker), client_options(settings.kafka)
    redriver = Redriver(servers, options, Topics(settings.topic_prefix), settings.group)
    refused = 0
    async for done in redriver.run(plan):
        refused += done.action not in {"sent", "would_send", "repeated"}
        line = json.dumps(dataclasses.asdict(done))
        click.echo(line if as_json else f"{done.action}: {done.origin} ({done.reason})")
    return 1 if refused else 0
