"""`hss-stream clusters list|show`: what the store knows about clusters."""

import asyncio
import heapq
from typing import TYPE_CHECKING, Any

import click
import orjson

from hss_stream.commands.spaces import open_spaces
from hss_stream.errors import StoreError
from hss_stream.settings import load_settings
from hss_stream.steps.events import rfc3339
from hss_stream.steps.judge_pages import TEXT_RULES
from hss_stream.steps.list_clusters import list_summaries, with_prototypes
from hss_stream.steps.look_up_cluster import FoundCluster, look_up_cluster
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.verdicts.alert import AlertRules, judge_cluster
from hss_stream.verdicts.cluster_id import SPACES, STYLE, from_text, to_text
from hss_stream.verdicts.cluster_rules import ClusterRules
from hss_stream.verdicts.label import ROLES, STRENGTH

if TYPE_CHECKING:
    from hss_stream.store.effects import Said

MAX_MERGED = 256
WORDS, ROLE_NAMES = tuple(STRENGTH), tuple(ROLES)
LETTERS = {name: letter for letter, name in SPACES.items()}


@click.group()
def command() -> None:
    """List clusters, or show one with everything known about it."""


@command.command("list")
@click.option("--space", type=click.Choice(["style", "text", "mail"]), help="Only clusters of this space.")
@click.option("--class", "kind", help="Only clusters of this class.")
@click.option("--label", type=click.Choice(["spam", "ham", "none"]), help="Only clusters with this label.")
@click.option("--limit", default=40, show_default=True, help="At most this many, the highest ranked.")
@click.option("--store", help="Address of the store; HSS_REDIS if not given.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a cluster.")
def list_command(
    space: str | None, kind: str | None, label: str | None, limit: int, store: str | None, as_json: bool  # noqa: FBT001 - click gives flags so
) -> None:  # fmt: skip
    """List clusters by mean similarity x domains."""
    rows = asyncio.run(_list(space, kind, label, limit, store))
    for row in rows:
        if as_json:
            click.echo(orjson.dumps(row))
        else:
            click.echo(
                f"{row['cluster']}  {row['pages']:>8,} pages  {row['domains']:>7,} domains  "
                f"{row['mean_similarity']:.2f}  {row['class'] or row['space']:<10}  "
                f"{row['label'] or '-':<4}  {row['prototype'] or ''}"
            )


async def _list(
    space: str | None, kind: str | None, label: str | None, limit: int, address: str | None
) -> list[dict[str, Any]]:
    async with open_spaces(load_settings(), address) as stores:
        rows = []
        for letter in stores if space is None else [LETTERS[space]]:
            rows += [
                row
                for row in (await list_summaries(stores[letter], letter)).rows
                if (kind is None or row.fields["class"] == kind)
                and (label is None or (row.fields["label"] or "none") == label)
            ]
        best = heapq.nsmallest(limit, rows, key=lambda row: row.order)
        return [row async for row in with_prototypes(best, stores)]


@command.command("show")
@click.argument("name", metavar="ID")
@click.option("--store", help="Address of the store; HSS_REDIS if not given.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def show_command(name: str, store: str | None, as_json: bool) -> None:  # noqa: FBT001 - as above
    """Show a cluster: members, class with its facts, label, who said so, merges, verdict."""
    shown = asyncio.run(_show(name, store))
    if as_json:
        click.echo(orjson.dumps(shown))
        return
    for key, value in shown.items():
        click.echo(f"{key}: {value}")


async def _show(name: str, address: str | None) -> dict[str, Any]:
    try:
        letter, identity = from_text(name)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    async with open_spaces(load_settings(), address) as stores:
        rules = ClusterRules() if letter == STYLE else TEXT_RULES
        found = await look_up_cluster(stores[letter], rules, letter, identity)
        if found is None:
            raise StoreError(f"showing {name}: there is no such cluster (any more)")
        history = await cluster_history(stores[letter], letter, found.identity)
    return {**shown_cluster(name, found, load_settings().verdict.to_rules()), **history}


async def cluster_history(store: ClusterStore, space: str, cluster: int) -> dict[str, Any]:
    """Return who said what about a cluster and those folded into it, oldest first, and which these are."""
    waiting = [cluster]
    merged: list[str] = []
    words: list[tuple[int, str, Said]] = []
    while waiting and len(merged) < MAX_MERGED:
        identity = waiting.pop()
        history = await store.read_history(space, identity)
        waiting += history.merged
        merged += [to_text(space, one) for one in history.merged]
        words += [(one.at, to_text(space, identity), one) for one in history.said]
    said = [
        {
            "at": rfc3339(at * 1000),
            "cluster": name,
            "label": WORDS[one.label],
            "role": ROLE_NAMES[one.role],
            "client": one.who.decode("utf-8", "replace"),
            "before": WORDS[one.before],
            "after": WORDS[one.after],
        }
        for at, name, one in sorted(words, key=lambda word: word[0])
    ]
    return {"labels": said, "merged": sorted(merged)}


def shown_cluster(asked: str, found: FoundCluster, rules: AlertRules) -> dict[str, Any]:
    """Return everything known of a cluster."""
    record = found.record
    evidence = found.to_evidence()
    style = found.space == STYLE
    return {
        "cluster": found.name,
        "asked_for": asked,
        "merged_into": found.name if asked != found.name else None,
        "space": SPACES[found.space],
        "revision": record.revision,
        "pages": record.pages,
        "domains": record.domains,
        "mean_similarity": round(found.mean_similarity, 6),
        "class": evidence.kind if style else None,
        "class_facts": {
            "inward_links": record.sums[0], "links": record.sums[1], "known_links": evidence.known_links,
            "alike_parts": evidence.alike_parts, "parts": evidence.all_parts,
            "judged_pages": evidence.fake.pages, "tokens": evidence.fake.tokens,
        },
        "label": found.label,
        **(judge_cluster(evidence, rules).to_json() if style else {}),
        "prototype": found.prototype,
        "samples": [sample.decode("utf-8", "replace") for sample in record.samples],
        "representatives": 1 + len(record.further),
    }  # fmt: skip
