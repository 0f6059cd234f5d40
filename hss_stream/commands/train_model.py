"""`hss-stream train model`: a language model for fake text, from any corpus."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click
import numpy as np
from rich.console import Console
from rich.progress import Progress

from hss_stream.lab.arpa import WordList, write_arpa
from hss_stream.lab.corpus_text import document_key, record_documents
from hss_stream.lab.fake_text_training import fit_without, leave_genres_out
from hss_stream.lab.ngram_counting import Corpus, TokenSpool
from hss_stream.lab.ngram_training import Reading, TrainingOptions, build_model, train_orders
from hss_stream.models.ngram_file import FILE_NAME, write_model
from hss_stream.signals.fake_text import FakeTextModel
from hss_stream.signals.ngram_table import ORDERS
from hss_stream.signals.words import WordHasher
from hss_stream.sources.records import KINDS, Kind, open_source

MEGABYTE = 1 << 20


def read_corpus(
    sources: Sequence[str], kind: Kind | None, spool: TokenSpool, words: WordList | None, progress: Progress
) -> Corpus:
    """Write the tokens of all documents to the spool, each source a genre, and return them."""
    hasher = WordHasher()
    for genre, source in enumerate(sources):
        bar = progress.add_task(f"reading {genre_name(source)}", total=None)
        for record in open_source(source, kind=kind):
            for document in record_documents(record):
                spool.add(hasher.hash(document), genre, document_key(record, document))
                if words is not None:
                    words.add(document)
            progress.advance(bar)
        progress.update(bar, total=progress.tasks[bar].completed)
    return spool.corpus()


def genre_name(source: str) -> str:
    """Return what to call the genre of a source: the last part of its path, without an ending."""
    return Path(source).name.split(".", maxsplit=1)[0]


def without_held_out(corpus: Corpus, one_in: int) -> Corpus:
    """Return the documents to learn: all but one in so many, told by content or site; all for 0."""
    return corpus.where(corpus.draws % np.uint64(one_in) != 0) if one_in else corpus


def train(
    corpus: Corpus,
    options: TrainingOptions,
    name: str,
    progress: Progress,
    arpa: Path | None,
    words: WordList | None,
) -> tuple[FakeTextModel, dict[str, object]]:
    """Return the model of a corpus, not calibrated yet, and facts about it; write the ARPA file if wanted."""
    bars = {order: progress.add_task(f"order {order}") for order in range(1, ORDERS + 1)}
    orders, unknown = train_orders(
        corpus, options, lambda order, part, parts: progress.update(bars[order], completed=part, total=parts)
    )
    if arpa and words:
        write_arpa(arpa, orders, unknown, corpus.tokens, words)
    facts: dict[str, object] = {
        "documents": corpus.begins.size,
        "tokens": corpus.size,
        "ngrams": [order.log.size for order in orders],
        "min_documents": options.min_documents,
        "min_counts": [int(order.ngrams.counts.min()) if order.log.size else 0 for order in orders],
        "min_history": options.min_history,
        "reading": options.reading,
    }
    return FakeTextModel(build_model(orders, unknown, name), None), facts


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder to write the model to.")
@click.option("--name", default="custom", show_default=True, help="First part of the model's identity.")
@click.option("--as", "kind", type=click.Choice(KINDS), help="What the files are, where the guess is wrong.")
@click.option(
    "--unlearned", multiple=True, help="Natural text to calibrate on, but not to learn; repeatable."
)
@click.option("--held-out", "one_in", default=0, help="Leave one document or site in N out, to evaluate on.")
@click.option("--no-calibration", is_flag=True, help="Perplexities and penalties only: much faster.")
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
    unlearned: tuple[str, ...],
    one_in: int,
    no_calibration: bool,
    arpa: Path | None,
    min_documents: int,
    min_history: int,
    reading: Reading,
    max_megabytes: int,
    memory_megabytes: int,
) -> None:
    """Train a language model on the text of the sources; the same sources give the same model.

    Each source is a genre. To calibrate `fakeness`, a model is trained without each genre in turn.
    """
    options = TrainingOptions(
        min_documents, reading, min_history, max_megabytes * MEGABYTE, memory_megabytes * MEGABYTE
    )
    out.mkdir(parents=True, exist_ok=True)
    words = WordList() if arpa else None
    with (
        Progress(console=Console(stderr=True)) as progress,
        tempfile.TemporaryDirectory(dir=out) as folder,
        TokenSpool(Path(folder) / "tokens") as spool,
        TokenSpool(Path(folder) / "unlearned") as other_spool,
    ):
        corpus = without_held_out(read_corpus(sources, kind, spool, words, progress), one_in)
        model, facts = train(corpus, options, name, progress, arpa, words)
        genres = [genre_name(source) for source in sources]
        if not no_calibration:
            bar = progress.add_task("calibrating", total=len(sources))
            runs = leave_genres_out(
                corpus,
                genres,
                options,
                lambda genre: progress.update(bar, advance=1, description=f"calibrating without {genre}"),
                unlearned=without_held_out(read_corpus(unlearned, kind, other_spool, None, progress), one_in),
                unlearned_genres=[genre_name(source) for source in unlearned],
            )
            model = FakeTextModel(model.ngrams, fit_without(runs, None))
        facts |= {
            "genres": genres,
            "unlearned": [genre_name(source) for source in unlearned],
            "held_out": one_in,
        }
    write_model(out / FILE_NAME, model, facts)
    click.echo(
        f"{out / FILE_NAME}: {model.ngrams.identity}, {facts['tokens']} tokens, n-grams {facts['ngrams']}, "
        f"{'calibrated' if model.calibration else 'not calibrated'}"
    )
