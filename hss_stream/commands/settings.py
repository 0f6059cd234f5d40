"""`hss-stream settings`: every setting with its value, default, source and help."""

import dataclasses
import json
from collections.abc import Iterable

import click

from hss_stream.settings import SettingLine, load_settings, setting_lines

PAGE_HEAD = """# Settings

Written by `hss-stream settings --markdown`; do not edit.
Every setting is an environment variable; an unknown name that begins with `HSS_` is refused at start.
`hss-stream settings` prints the effective values, secrets masked, and where each came from.

| name | default | meaning |
| --- | --- | --- |
"""


def to_markdown(lines: Iterable[SettingLine]) -> str:
    """Return the page docs/settings.md."""
    rows = (
        f"| `{line.name}` | {f'`{line.default}`' if line.default else 'none'} | {line.help} |"
        for line in lines
    )
    return PAGE_HEAD + "\n".join(rows) + "\n"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option("--markdown", is_flag=True, help="The page docs/settings.md: defaults and meaning.")
def command(*, as_json: bool, markdown: bool) -> None:
    """Print every setting: value (secrets masked), where it came from, meaning."""
    lines = setting_lines(load_settings())
    if markdown:
        click.echo(to_markdown(lines), nl=False)
        return
    for line in lines:
        if as_json:
            click.echo(json.dumps(dataclasses.asdict(line)))
        else:
            click.echo(f"{line.name}={line.value}  ({line.source})\n    {line.help}")
