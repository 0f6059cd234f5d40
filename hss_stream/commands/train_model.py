"""`hss-stream train model`: a language model for fake text, from any corpus."""

import tempfile
from pathlib import Path
from typing import get_args

import click
from rich.console import Console
from rich.progress import Progress

from hss_stream.lab.arpa import WordList, write_arpa
from hss_stream.lab.corpus_text import record_documents
from hss_stream.lab.ngram_counting import TokenSpool
from hss_stream.lab.ngram_training import Reading, TrainingOptions, build_model, train_orders
from hss_stream.models.ngram_file import FILE_NAME, write_model
from hss_stream.signals.fake_text import FakeTextModel
from hss_stream.signals.ngram_table import ORDERS
from hss_stream.signals.words import WordHasher
from hss_stream.sources.records import KINDS, Kind, open_sources

MEGABYTE = 1 << 20


def read_corpus(
    sources: tuple[str, ...], kind: Kind | None, spool: TokenSpool, words: WordList | None, progress: Progress
) -> None:
    """Write the tokens of all documents of the sources to the spool."""
    hasher = WordHasher()
    bar = progress.add_task("reading", total=None)
    for record in open_sources(sources, kind=kind):
        for document in record_documents(record):
            spool.add(hasher.hash(document))
            if words is not None:
                words.add(document)
        progress.advance(bar)
    progress.update(bar, total=progress.tasks[bar].completed)


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder to write the model to.")
@click.option("--name", default="custom", show_default=True, help="First part of the model's identity.")
@click.option("--as", "kind", type=click.Choice(KINDS), help="What the files are, where the guess is wrong.")
@click.option("--arpa", type=click.Path(path_type=Path), help="Also write an ARPA file, for other tools.")
@click.option("--min-documents", default=2, show_default=True, help="Documents that must have an n-gram.")
@click.option("--min-history", default=5, show_default=True, help="Times a history must have been seen.")
@click.option(
    "--reading",
    type=click.Choice(get_args(Reading)),
    default="katz",
    show_default=True,
    help="Probabilities in the penalty: Katz, or relative frequencies to the letter of the paper.",
)
@click.option("--max-megabytes", default=24, show_default=True, help="Size of the model.")
@click.option("--memory-megabytes", default=1024, show_default=True, help="Memory to count in.")
def command(
    *,
    sources: tuple[str, ...],
    out: Path,
    name: str,
    kind: Kind | None,
    arpa: Path | None,
    min_documents: int,
    min_history: int,
    reading: Reading,
    max_megabytes: int,
    memory_megabytes: int,
) -> None:
    """Train a language model on the text of the sources; the same sources give the same model."""
    options = TrainingOptions(
        min_documents, reading, min_history, max_megabytes * MEGABYTE, memory_megabytes * MEGABYTE
    )
    out.mkdir(parents=True, exist_ok=True)
    words = WordList() if arpa else None
    with (
        Progress(console=Console(stderr=True)) as progress,
        tempfile.TemporaryDirectory(dir=out) as folder,
        TokenSpool(Path(folder) / "tokens") as spool,
    ):
        read_corpus(sources, kind, spool, words, progress)
        bars = {order: progress.add_task(f"order {order}") for order in range(1, ORDERS + 1)}
        orders, unknown = train_orders(
            spool,
            options,
            lambda order, part, parts: progress.update(bars[order], completed=part, total=parts),
        )
        model = build_model(orders, unknown, name)
        if arpa and words:
            write_arpa(arpa, orders, unknown, spool.tokens(), words)
        facts = {
            "documents": spool.bounds().size - 1,
            "tokens": int(spool.tokens().size),
            "ngrams": [order.log.size for order in orders],
            "min_documents": min_documents,
            "min_counts": [int(order.ngrams.counts.min(initial=0)) for order in orders],
            "min_history": min_history,
            "reading": reading,
        }
    write_model(out / FILE_NAME, FakeTextModel(model, None), facts)
    click.echo(f"{out / FILE_NAME}: {model.identity}, {facts['tokens']} tokens, n-grams {facts['ngrams']}")
