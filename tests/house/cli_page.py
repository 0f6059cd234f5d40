"""The page docs/cli.md, made from the commands' own help: `python -m tests.house.cli_page >docs/cli.md`."""

import click

from hss_stream.cli import group

HEAD = """# Command line

Written by `make docs`; do not edit.
Exit codes: 0 fine, 1 a finding or a failed check, 2 wrong use.
An error is one line on standard error: what was being done, what is wrong, what to do.
"""


def help_texts(command: click.Command, name: str, parent: click.Context | None = None):
    """Yield name and help of a command and of all commands below it."""
    short = name.rsplit(maxsplit=1)[-1]
    settings = {**command.context_settings, "terminal_width": 100}
    context = click.Context(command, info_name=short, parent=parent, **settings)
    yield name, command.get_help(context)
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            yield from help_texts(command.get_command(context, below), f"{name} {below}", context)


def cli_page() -> str:
    """Return the whole page."""
    parts = [f"## `{name}`\n\n```text\n{text}\n```\n" for name, text in help_texts(group, "hss-stream")]
    return "\n".join([HEAD, *parts])


if __name__ == "__main__":
    click.echo(cli_page(), nl=False)
