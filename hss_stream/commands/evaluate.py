"""`hss-stream evaluate`: the papers' tables on the user's own data, one command a method."""

import click

from hss_stream.lazy_group import CommandTable, LazyGroup

METHODS: CommandTable = {
    "style": ("hss_stream.commands.evaluate_style", "Clusters by style against labels (2006 paper)."),
    "structure": (
        "hss_stream.commands.evaluate_structure",
        "Distances R, F and D and what the cascade saves.",
    ),
    "nameserver": ("hss_stream.commands.evaluate_nameserver", "Providers and their sites (2015 paper)."),
    "imatch": ("hss_stream.commands.evaluate_imatch", "Near duplicates by signatures (2004 paper)."),
    "faketext": (
        "hss_stream.commands.evaluate_faketext",
        "Perplexity, penalty and fakeness against generators (2008 paper).",
    ),
}


@click.command(cls=LazyGroup, table=METHODS)
def command() -> None:
    """Print the tables of the papers on your own data."""
