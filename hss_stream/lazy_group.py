"""A click group that knows its commands by name and help alone, and imports one only to run it.

Importing numba, Faust or rich costs more than most commands do, and `--help` has to answer at once.
"""

import importlib
from typing import Any

import click

# name → (module, one-line help). The module has a click command called `command`.
CommandTable = dict[str, tuple[str, str]]


class LazyGroup(click.Group):
    """A group over a table of commands."""

    def __init__(self, *arguments: Any, table: CommandTable, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        del ctx
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, imported now; None if there is none."""
        del ctx
        if cmd_name not in self.table:
            return None
        module = self.table[cmd_name][0]
        command = importlib.import_module(module).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{module}.command is no click command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any of them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.table.items()])
