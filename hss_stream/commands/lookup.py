"""`hss-stream lookup FILE|URL|NAME`: ask a running gateway."""

import os
import sys
from pathlib import Path

import click
from pydantic import BaseModel

from hss_stream.client import Client
from hss_stream.errors import SourceError
from hss_stream.gateway.models import ClusterAnswer, VerdictAnswer
from hss_stream.settings import load_settings
from hss_stream.sources.sniff import sniff_kind
from hss_stream.verdicts.cluster_id import from_text

# Not a setting: it belongs to the client, which may run where no setting is.
TOKEN_VARIABLE = "GATEWAY_TOKEN"  # noqa: S105 - the name of a variable, no secret


@click.command()
@click.argument("subject", metavar="FILE|URL|NAME|CLUSTER")
@click.option("--gateway", help="Address of the gateway [default: that of the settings].")
@click.option("--url", "page_url", default="", help="Where the page in FILE was fetched from.")
@click.option("--as", "kind", type=click.Choice(["page", "mail"]), help="What FILE holds [default: guessed].")
@click.option("--json", "as_json", is_flag=True, help="The answer as one JSON object.")
def command(subject: str, gateway: str | None, page_url: str, kind: str | None, *, as_json: bool) -> None:
    """Ask a running gateway about a message or page in a file (`-`: stdin), a URL, a name or a cluster.

    The token comes from the environment variable GATEWAY_TOKEN. Exit code 1 when the verdict is spam.
    """
    address = gateway or _own_gateway()
    with Client(address, token=os.environ.get(TOKEN_VARIABLE)) as client:
        answer = _ask(client, subject, page_url, kind)
    if as_json:
        click.echo(answer.model_dump_json(by_alias=True))
    else:
        _print(answer)
    sys.exit(1 if getattr(answer, "verdict", None) == "spam" else 0)


def _own_gateway() -> str:
    settings = load_settings().gateway
    scheme = "https" if settings.tls_cert_file else "http"
    return f"{scheme}://{settings.host}:{settings.port}"


def _ask(client: Client, subject: str, page_url: str, kind: str | None) -> BaseModel:
    if subject == "-" or Path(subject).is_file():
        return _ask_file(client, subject, page_url, kind)
    if "://" in subject:
        return client.url(subject)
    try:
        from_text(subject)
    except ValueError:
        return client.nameserver(subject)
    return client.cluster(subject)


def _ask_file(client: Client, subject: str, page_url: str, kind: str | None) -> VerdictAnswer:
    try:
        body = sys.stdin.buffer.read() if subject == "-" else Path(subject).read_bytes()
    except OSError as error:
        raise SourceError(f"reading {subject}: {error.strerror}") from None
    if kind is None:
        kind = sniff_kind(body)
    return client.mail(body) if kind == "mail" else client.page(body, url=page_url)


def _print(answer: BaseModel) -> None:
    fields = answer.model_dump(by_alias=True)
    if not isinstance(answer, ClusterAnswer):
        click.echo(f"{fields.pop('verdict')}  {fields.pop('score'):g}")
        for reason in fields.pop("reasons"):
            facts = ", ".join(f"{name} {value}" for name, value in reason["facts"].items())
            click.echo(f"  {reason['weight']:+g}  {reason['name']}  {facts}")
    for name, value in fields.items():
        if value not in (None, "", False, []) and name not in {"format", "fingerprint"}:
            click.echo(f"  {name}: {value}")
