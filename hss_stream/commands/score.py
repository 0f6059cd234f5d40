"""`hss-stream score`: all signals of a page, message or text, offline."""

from typing import Any

import click

from hss_stream.commands.output import exit_with, print_json, print_table
from hss_stream.commands.read_one import read_one
from hss_stream.errors import SourceError
from hss_stream.settings import load_settings
from hss_stream.sources.record import KINDS, Kind
from hss_stream.steps.score_page import score_page
from hss_stream.steps.text_signals import use_text_options

BLOCKS = ("style", "imatch", "structure", "faketext", "fingerprint")


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--as", "kind", type=click.Choice(KINDS), help="What the files are; told by their first bytes.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a file, in order.")
def command(files: tuple[str, ...], kind: Kind | None, *, as_json: bool) -> None:
    """Print every signal of pages, messages or texts; - reads standard input.

    A file that cannot be read is reported, the others go on, and the exit code is 1.
    """
    use_text_options(load_settings().faketext.to_options())
    failed = False
    for name in files:
        score = score_file(name, kind)
        failed = failed or score["error"] is not None
        if as_json:
            print_json(score)
        elif score["error"] is not None:
            click.echo(f"hss-stream: {score['error']}", err=True)
        else:
            show_score(score)
    exit_with(1 if failed else 0)


def score_file(name: str, kind: Kind | None) -> dict[str, Any]:
    """Return the JSON object of one file; `error` is set when it cannot be read."""
    try:
        body, found = read_one(name, kind)
    except SourceError as error:
        empty = dict.fromkeys(("kind", "bytes", *BLOCKS))
        return {"file": name, **empty, "error": str(error)}
    return {"file": name, **score_page(body, found), "error": None}


def show_score(score: dict[str, Any]) -> None:
    """Print the signals of one file as a table."""
    rows: list[tuple[object, object, object]] = []
    why = score.get("why", {})
    for block in BLOCKS:
        value = score[block]
        if value is None:
            rows.append((block, "-", why.get(block, "")))
        elif isinstance(value, str):
            rows.append((block, "", shortened(value)))
        else:
            rows.extend(
                (block if place == 0 else "", name, shortened(fact))
                for place, (name, fact) in enumerate(value.items())
            )
    print_table(
        f"{score['file']}: {score['kind']}, {score['bytes']:,} bytes", ("signal", "fact", "value"), rows
    )


def shortened(value: object) -> object:
    """Return a value fit for a cell: long texts cut, lists joined."""
    if isinstance(value, list):
        value = " ".join(shortened_item(item) for item in value)
    return f"{value[:64]}…" if isinstance(value, str) and len(value) > 65 else value


def shortened_item(item: object) -> str:
    """Return an item of a list as text: spans by their text, nothing as a dash."""
    if isinstance(item, dict):
        return f"“{item.get('text', '')}”"
    return "-" if item is None else str(item)
