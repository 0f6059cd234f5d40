"""`hss-stream train`: lexicons and language models from the user's own data."""

import click

from hss_stream.lazy_group import CommandTable, LazyGroup

MODELS: CommandTable = {
    "lexicon": ("hss_stream.commands.train_lexicon", "The words that I-Match looks at, from any corpus."),
    "model": ("hss_stream.commands.train_model", "A language model that tells fake text."),
}


@click.command(cls=LazyGroup, table=MODELS)
def command() -> None:
    """Make lexicons and language models from your own data."""
