"""`hss-stream tokens create|revoke|list`: who may ask the gateway."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from hss_stream.errors import SettingsError
from hss_stream.gateway.token_file import ROLES, SCOPES, create_token, read_tokens, revoke_token
from hss_stream.settings import load_settings


def _token_file(given: str | None) -> Path:
    name = given or load_settings().gateway.tokens_file
    if name is None:
        raise SettingsError(
            "opening the token file: none is named; set HSS_GATEWAY__TOKENS_FILE or give --file"
        )
    return Path(name)


_file = click.option("--file", "given", help="The token file [env: HSS_GATEWAY__TOKENS_FILE].")


@click.group()
def command() -> None:
    """Create, revoke and list the tokens of the gateway; it reads the file again within a second."""


@command.command()
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    default=("lookup",),
    show_default=True,
    help="What it may do; repeat for several. `admin` may do everything.",
)
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default="reporter",
    show_default=True,
    help="Whose word its labels are: an editor's counts at once.",
)
@_file
def create(name: str, scopes: tuple[str, ...], role: str, given: str | None) -> None:
    """Create a token for the client NAME and print it: it is shown this once."""
    _, text = create_token(_token_file(given), name, tuple(dict.fromkeys(scopes)), role)
    click.echo(text)


@command.command()
@click.argument("identity", metavar="ID")
@_file
def revoke(identity: str, given: str | None) -> None:
    """Revoke the token with this ID (see `list`), for good."""
    token = revoke_token(_token_file(given), identity)
    click.echo(f"{token.id} ({token.name}) is revoked")


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@_file
def show(*, as_json: bool, given: str | None) -> None:
    """List the tokens: id, client, scopes, role, times; never a secret or its hash."""
    for token in read_tokens(_token_file(given)):
        fields = asdict(token)
        del fields["sha256"]
        if as_json:
            click.echo(json.dumps(fields))
        else:
            state = f"revoked {token.revoked_at}" if token.revoked_at else "valid"
            scopes = ",".join(token.scopes)
            click.echo(f"{token.id}  {token.name}  {scopes}  {token.role}  {token.created_at}  {state}")
