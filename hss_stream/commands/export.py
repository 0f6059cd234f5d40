"""`hss-stream export jsonl`: the listed providers, for the block lists of others."""

import asyncio

import click

from hss_stream.commands.nameservers import open_provider_store
from hss_stream.commands.output import print_json
from hss_stream.steps.list_providers import ORDER, list_providers


@click.group()
def command() -> None:
    """Write what is known to standard output, for other programs."""


@command.command("jsonl")
@click.option(
    "--state", "states", type=click.Choice(ORDER), multiple=True, default=("spam",), show_default=True,
    help="Providers in these states; may be given several times.",
)  # fmt: skip
@click.option("--store", help="Address of the store; HSS_REDIS if not given.")
def jsonl_command(states: tuple[str, ...], store: str | None) -> None:
    """One JSON object a provider, as its last `nameserver` event, the listed ones first."""
    asyncio.run(_export(states, store))


async def _export(states: tuple[str, ...], address: str | None) -> None:
    async with open_provider_store(address) as providers:
        for state in ORDER:
            if state in states:
                for row in await list_providers(providers, state):
                    print_json(row)
