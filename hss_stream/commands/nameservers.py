"""`hss-stream nameservers list|show`: what the store knows about name-server providers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import click

from hss_stream.commands.output import AWAY_SECONDS, print_json, print_table
from hss_stream.errors import StoreError
from hss_stream.settings import load_settings
from hss_stream.steps.list_providers import ORDER, list_providers
from hss_stream.steps.look_up_nameserver import shown_provider
from hss_stream.steps.provider_names import provider_of
from hss_stream.store.layout import domain_hash
from hss_stream.store.open_store import make_store
from hss_stream.store.provider_store import ProviderStore
from hss_stream.store.spaces import sibling_providers

COLUMNS = ("provider", "state", "sites ", "spam share ", "label", "decided by", "name servers")


@asynccontextmanager
async def open_provider_store(address: str | None) -> AsyncIterator[ProviderStore]:
    """Open the store of providers of an address, or of the settings."""
    settings = load_settings()
    if address is None:
        settings.require_lasting_store()
    own = settings.store
    url = address or settings.redis
    style = make_store(url, prefix=own.prefix, shards=own.shards, away_seconds=AWAY_SECONDS)
    providers = sibling_providers(style)
    try:
        await style.open()
        await providers.open()
        yield providers
    finally:
        await providers.close()
        await style.close()


@click.group()
def command() -> None:
    """List name-server providers, or show one with all its evidence."""


@command.command("list")
@click.option("--state", type=click.Choice(ORDER), help="Only providers in this state.")
@click.option("--label", type=click.Choice(["spam", "ham", "none"]), help="Only providers with this label.")
@click.option("--limit", type=click.IntRange(1), default=40, show_default=True, help="At most this many.")
@click.option("--store", help="Address of the store; HSS_REDIS if not given.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a provider.")
def list_command(
    state: str | None, label: str | None, limit: int, store: str | None, as_json: bool  # noqa: FBT001 - click gives flags so
) -> None:  # fmt: skip
    """List providers: the listed ones first, then by number of sites."""
    rows = asyncio.run(_list(store, state, label))[:limit]
    if as_json:
        for row in rows:
            print_json(row)
        return
    names = ("provider", "state", "sites", "spam_share", "label", "decided_by")
    cells = [[row.get(name) for name in names] + [", ".join(row["nameservers"][:3])] for row in rows]
    if not cells:
        click.echo("No providers; pages bring them with `feed --nameservers`.")
        return
    print_table("Providers", COLUMNS, cells)


async def _list(address: str | None, state: str | None, label: str | None) -> list[dict[str, Any]]:
    async with open_provider_store(address) as providers:
        return await list_providers(providers, state, label)


@command.command("show")
@click.argument("name", metavar="PROVIDER|NAMESERVER")
@click.option("--store", help="Address of the store; HSS_REDIS if not given.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def show_command(name: str, store: str | None, as_json: bool) -> None:  # noqa: FBT001 - as above
    """Show a provider: state, label, reasons, clusters, and without which sites it would not be listed."""
    try:
        provider = provider_of(name)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    shown = asyncio.run(_show(provider, store))
    if as_json:
        print_json(shown)
        return
    for key in ("provider", "state", "label", "decided_by", "sites", "spam_share", "average_radius"):
        click.echo(f"{key}: {shown.get(key)}")
    click.echo(f"nameservers: {', '.join(shown['nameservers'])}")
    for reason in shown["reasons"]:
        click.echo(f"  {reason['weight']:+g}  {reason['name']}  {reason['facts']}")
    columns = ("size ", "radius ", "mean distance ", "spam", "kind", "center")
    rows = [
        [one["size"], one["radius"], one["mean_distance"], one["spam"], one["kind"], one["center"]]
        for one in shown["clusters"]
    ]
    print_table("Clusters", columns, rows)
    needed = shown["counterfactual"]
    if needed:
        click.echo(f"Without {needed['sites']} of its sites it would not be listed ({needed['because']}):")
        click.echo("  " + ", ".join(needed["domains"][:20]))


async def _show(provider: str, address: str | None) -> dict[str, Any]:
    async with open_provider_store(address) as providers:
        [record] = await providers.read_heads([domain_hash(provider)])
    if record is None:
        raise StoreError(f"showing {provider}: there is no such provider (any more)")
    return shown_provider(record)
