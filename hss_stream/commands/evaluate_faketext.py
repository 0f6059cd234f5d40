"""`hss-stream evaluate faketext`: the paper's tables, and what the threshold does to natural text."""

import tempfile
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np
from rich.console import Console
from rich.progress import Progress

from hss_stream.commands.evaluate_options import evaluation_options, print_rows
from hss_stream.commands.train_model import genre_name, read_corpus
from hss_stream.lab.fake_text_evaluation import VERDICT_LENGTHS, default_rows, left_out_rows, paper_rows
from hss_stream.lab.fake_text_plot import plot_rows
from hss_stream.lab.fake_text_training import leave_genres_out
from hss_stream.lab.ngram_counting import TokenSpool
from hss_stream.lab.ngram_training import TrainingOptions
from hss_stream.models.shipped_model import load_model

# The detector of the paper is not pruned; this is more than any corpus at hand needs.
UNPRUNED_BYTES = 1 << 31


@click.command()
@evaluation_options
@click.option("--model", type=click.Path(path_type=Path), help="Model file instead of the shipped one.")
@click.option("--held-out", "one_in", default=0, help="Take only the documents `train model` left out.")
@click.option("--leave-out", is_flag=True, help="Leave each source out of training and calibration in turn.")
@click.option(
    "--reading",
    type=click.Choice(("katz", "counts")),
    default="katz",
    show_default=True,
    help="With --setting paper: probabilities of the penalty (counts: to the letter, all histories).",
)
@click.option("--texts", default=200, show_default=True, help="Most texts a genre and a generator.")
@click.option("--plot", type=click.Path(path_type=Path), help="Also draw the rows into this file (PNG, SVG).")
def command(
    sources: tuple[str, ...],
    setting: str,
    seed: int,
    model: Path | None,
    one_in: int,
    reading: Literal["katz", "counts"],
    texts: int,
    plot: Path | None,
    *,
    as_json: bool,
    leave_out: bool,
) -> None:
    """Tell generated from natural text: tables 2, 3 and 4 (paper), or verdicts by genre (default).

    Generators are built from the sources; each source is a genre. Lengths are in tokens.
    """
    genres = [genre_name(source) for source in sources]
    rows: list[dict[str, Any]]
    with (
        Progress(console=Console(stderr=True)) as progress,
        tempfile.TemporaryDirectory() as folder,
        TokenSpool(Path(folder) / "tokens") as spool,
    ):
        corpus = read_corpus(sources, None, spool, None, progress)
        if one_in and setting != "paper":
            corpus = corpus.where(corpus.draws % np.uint64(one_in) == 0)
        ready = load_model(model).model
        bar = progress.add_task("evaluating", total=len(sources))
        if leave_out:
            runs = leave_genres_out(
                corpus,
                genres,
                TrainingOptions(),
                lambda genre: progress.update(bar, advance=1, description=f"without {genre}"),
                report_lengths=VERDICT_LENGTHS,
            )
            main = genres[int(np.argmax(np.bincount(corpus.genres, corpus.ends - corpus.begins)))]
            rows = list(left_out_rows(runs, ready.ngrams, main))
        elif setting == "paper":
            options = TrainingOptions(1, reading, 5 if reading == "katz" else 1, UNPRUNED_BYTES)
            rows = list(paper_rows(corpus, options, ready.ngrams, seed, one_in))
        else:
            rows = list(default_rows(ready, corpus, genres, texts, seed))
    print_rows("faketext", setting, rows, as_json=as_json)
    if plot:
        plot_rows(rows, plot)
