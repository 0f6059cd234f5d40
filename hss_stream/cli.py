"""The program `hss-stream`: a table of commands, each imported only when it is called.

`evaluate` and `train` are groups with tables of their own.
"""

import logging
import sys

import click

from hss_stream import __version__
from hss_stream.errors import HssError, SettingsError
from hss_stream.lazy_group import CommandTable, LazyGroup

COMMANDS: CommandTable = {
    "demo": ("hss_stream.commands.demo", "See what it does, on pages it generates."),
    "score": ("hss_stream.commands.score", "Print every signal of pages, messages or texts."),
    "compare": (
        "hss_stream.commands.compare",
        "Print every distance between two pages, and where they agree.",
    ),
    "similar": (
        "hss_stream.commands.similar",
        "Rank all pages by their similarity to one, and show the gaps.",
    ),
    "replay": ("hss_stream.commands.replay", "Run all steps over a source, without Kafka."),
    "evaluate": ("hss_stream.commands.evaluate", "Print the tables of the papers on your own data."),
    "label": ("hss_stream.commands.label", "Say what a cluster, page or message is."),
    "labels": ("hss_stream.commands.labels", "Print who said what about clusters, pages and messages."),
    "clusters": ("hss_stream.commands.clusters", "List clusters, or show one."),
    "nameservers": ("hss_stream.commands.nameservers", "List name-server providers, or show one."),
    "export": ("hss_stream.commands.export", "Write what is known to standard output, for other programs."),
    "redrive": ("hss_stream.commands.redrive", "Send dead letters back, once their cause is mended."),
    "topics": ("hss_stream.commands.topics", "Create the topics the stream reads and writes."),
    "worker": ("hss_stream.commands.worker", "Place pages from Kafka in clusters, until told to stop."),
    "check": ("hss_stream.commands.check", "Check the settings, and that Kafka and the store answer."),
    "train": ("hss_stream.commands.train", "Make lexicons and language models from your own data."),
    "feed": ("hss_stream.commands.feed", "Send pages or messages of files to Kafka, resumable."),
    "settings": ("hss_stream.commands.settings", "Print every setting, its value and where it came from."),
    "gateway": ("hss_stream.commands.gateway", "Answer look-ups over HTTP until stopped."),
    "lookup": ("hss_stream.commands.lookup", "Ask a running gateway about a file, a URL or a name."),
    "tokens": ("hss_stream.commands.tokens", "Create, revoke and list the tokens of the gateway."),
}


@click.command(
    cls=LazyGroup,
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="hss-stream")
def group() -> None:
    """Recognise machine-made pages and mail in a live stream, and say why.

    Exit codes: 0 fine, 1 a finding or a failed check, 2 wrong use.
    """


def main() -> None:
    """Run the program; an error of ours is one line on stderr."""
    # Our own line says what is wrong; aiokafka's are for logs, and a worker or gateway keeps them.
    logging.getLogger("aiokafka").addHandler(logging.NullHandler())
    try:
        group()
    except HssError as error:
        click.echo(f"hss-stream: {error}", err=True)
        sys.exit(2 if isinstance(error, SettingsError) else 1)
