"""The options that every `evaluate` command has, and how its rows are printed."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from hss_stream.commands.output import print_json, print_table
from hss_stream.lab.labels import labels_of, load_labels

Command = Callable[..., None]


def evaluation_options(command: Command) -> Command:
    """Add sources, --setting, --seed and --json."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="One JSON object a row of the table."),
        click.option("--seed", type=int, default=1, show_default=True, help="Seed of whatever is drawn."),
        click.option(
            "--setting",
            type=click.Choice(("paper", "default")),
            default="default",
            show_default=True,
            help="The paper to the letter, or what the stream uses.",
        ),
        click.argument("sources", nargs=-1, required=True, metavar="SOURCE..."),
    ):
        command = option(command)
    return command


def label_options(command: Command) -> Command:
    """Add --labels, --precision-by and --recall-by."""
    for option in (
        click.option("--recall-by", help="Label whose pages belong together (fine)."),
        click.option("--precision-by", help="Label whose pages may be together (coarse)."),
        click.option(
            "--labels",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="JSONL, one object a page with `file` or `url` and the labels.",
        ),
    ):
        command = option(command)
    return command


def read_label_lists(labels: Path | None, urls: Sequence[str], *fields: str | None) -> list[list[str] | None]:
    """Return, for each field, the label of every page, or None where no field was given."""
    if labels is None:
        if any(fields):
            raise click.UsageError("--precision-by and --recall-by need --labels")
        return [None] * len(fields)
    if not any(fields):
        raise click.UsageError("--labels needs --precision-by or --recall-by")
    table = load_labels(labels, [field for field in fields if field])
    return [labels_of(urls, table, field) if field else None for field in fields]


def print_rows(method: str, setting: str, rows: Sequence[dict[str, Any]], *, as_json: bool) -> None:
    """Print the rows of an evaluation as JSON lines or as a table of those columns that say something."""
    if as_json:
        for row in rows:
            print_json({"event": "evaluation", "method": method, "setting": setting, **row})
        return
    for group in _same_shape(rows):
        names = [name for name in group[0] if any(row[name] is not None for row in group)]
        title = f"{method}, setting {setting}"
        if len(group) == 1:
            facts = [(name.replace("_", " "), group[0][name]) for name in names if name != "case"]
            print_table(f"{title}: {group[0]['case']}", ("measure", "value "), facts)
            continue
        columns = [name if name == "case" else f"{name.replace('_', ' ')} " for name in names]
        print_table(title, columns, [[row[name] for name in names] for row in group])


def _same_shape(rows: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the rows in groups of neighbours that have the same fields."""
    groups: list[list[dict[str, Any]]] = []
    for row in rows:
        if groups and list(groups[-1][0]) == list(row):
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups
