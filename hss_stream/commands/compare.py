"""`hss-stream compare`: every distance between two pages, and where they agree."""

from typing import Any

import click

from hss_stream.commands.output import print_json, print_table
from hss_stream.commands.read_one import read_one
from hss_stream.signals.style_passages import Agreement, Passage, find_agreement
from hss_stream.sources.record import KINDS, Kind
from hss_stream.steps.compare_pages import compare_pages
from hss_stream.steps.score_page import read_body

SHOWN_PASSAGES = 5
CONTEXT_BYTES = 160


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--as", "kind", type=click.Choice(KINDS), help="What the files are; told by their first bytes.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(first: str, second: str, kind: Kind | None, *, as_json: bool) -> None:
    """Print every distance between two pages, messages or texts; for pages also where they agree."""
    (body, one), (other_body, other) = read_one(first, kind), read_one(second, kind)
    comparison = compare_pages(read_body(body, one), read_body(other_body, other))
    if as_json:
        print_json(comparison)
        return
    show_comparison(first, second, comparison)
    if one == other == "page":
        show_agreement(body, find_agreement(body, other_body))


def show_comparison(first: str, second: str, comparison: dict[str, Any]) -> None:
    """Print the distances as a table."""
    rows: list[tuple[object, object, object]] = []
    why = comparison.get("why", {})
    for block in ("style", "imatch", "structure"):
        facts = comparison[block] or {"-": why.get(block, "")}
        rows.extend((block if place == 0 else "", *fact) for place, fact in enumerate(facts.items()))
    print_table(f"{first} and {second}", ("signal", "measure", "value"), rows)


def show_agreement(page: bytes, agreement: Agreement) -> None:
    """Print where the first page shares noise with the second: by region, then the longest passages."""
    rows = [
        (region, agreement.shared[region], total, f"{agreement.shared[region] / total:.0%}")
        for region, total in agreement.total.items()
        if total
    ]
    title = "Shared 32-grams of noise, by part of the first page (the default sketch goes by head and markup)"
    print_table(title, ("part", "shared ", "all ", "share "), rows)
    passages = agreement.passages[:SHOWN_PASSAGES]
    if passages:
        shown = [
            (passage.start, passage.region, passage.grams, excerpt(page, passage)) for passage in passages
        ]
        print_table("Longest shared passages", ("byte ", "part", "grams ", "in context"), shown)


def excerpt(page: bytes, passage: Passage) -> str:
    """Return a passage of the page as one line, cut to a length that fits."""
    text = page[passage.start : min(passage.end, passage.start + CONTEXT_BYTES)].decode("utf-8", "replace")
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return f"{line} …" if passage.end - passage.start > CONTEXT_BYTES else line
