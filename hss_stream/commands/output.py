"""What all reporting commands share: JSON lines, tables, and problems of sources told at the end."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click
import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hss_stream.sources.record import ProblemCount

# Problems shown one by one; the rest is a number.
SHOWN_PROBLEMS = 5
# Somebody sits before these commands: a store that is away is said soon.
AWAY_SECONDS = 5.0


def print_json(value: dict[str, Any]) -> None:
    """Print one object as one line of JSON."""
    click.echo(orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode())


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; columns whose name ends in a space are flush right."""
    table = Table(title=Text(title), title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(column.strip(), justify="right" if column.endswith(" ") else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell_text(value)) for value in row))
    Console().print(table)


def cell_text(value: object) -> str:
    """Return a value as a cell shows it."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    # Addresses and excerpts are other people's: an escape sequence in them must not reach the terminal.
    return "".join(
        char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in str(value)
    )


def reasons_text(reasons: list[dict[str, Any]]) -> str:
    """Return reasons on a line: name, weight and the facts that fit."""
    lines = []
    for reason in reasons:
        facts = ", ".join(
            f"{name} {value}" for name, value in reason["facts"].items() if isinstance(value, int | float)
        )
        lines.append(f"{reason['name']} {reason['weight']:+.1f} {facts}".rstrip())
    return "; ".join(lines)


def report_problems(problems: ProblemCount) -> None:
    """Say on standard error what could not be read: the first few one by one, then numbers by reason."""
    for problem in problems.first[:SHOWN_PROBLEMS]:
        click.echo(f"hss-stream: {problem}", err=True)
    if problems.total > SHOWN_PROBLEMS:
        counts = ", ".join(f"{count} {reason}" for reason, count in sorted(problems.counts.items()))
        click.echo(f"hss-stream: {problems.total} records could not be read: {counts}", err=True)


def exit_with(code: int) -> None:
    """End the command with an exit code of the interfaces page."""
    if code:
        sys.exit(code)
