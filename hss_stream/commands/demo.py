"""`hss-stream demo`: what the program does, shown on material it generates itself."""

import click


@click.command()
def command() -> None:
    """See what it does, on pages it generates."""
    click.echo("hss-stream: nothing to show yet")
