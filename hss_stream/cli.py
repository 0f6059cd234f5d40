"""The program `hss-stream`: a table of commands, each imported only when it is called.

Importing numba, Faust or rich costs more than most commands do, and `--help` has to answer
at once. So the table below knows names and one-line helps, and nothing else.
"""

import importlib
import sys

import click

from hss_stream import __version__
from hss_stream.errors import HssError, SettingsError

# name → (module, one-line help). The module has a click command called `command`.
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("hss_stream.commands.demo", "See what it does, on pages it generates."),
    "settings": ("hss_stream.commands.settings", "Print every setting, its value and where it came from."),
}


class LazyGroup(click.Group):
    """A click group that imports a command's module only to run it or to show its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, imported now; None if there is none."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name][0]).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name][0]}.command is no click command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any of them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.command(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(__version__, prog_name="hss-stream")
def group() -> None:
    """Recognise machine-made pages and mail in a live stream, and say why.

    Exit codes: 0 fine, 1 a finding or a failed check, 2 wrong use.
    """


def main() -> None:
    """Run the program; an error of ours is one line on stderr."""
    try:
        group()
    except HssError as error:
        click.echo(f"hss-stream: {error}", err=True)
        sys.exit(2 if isinstance(error, SettingsError) else 1)
