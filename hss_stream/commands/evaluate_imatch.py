"""`hss-stream evaluate imatch`: how many near duplicates signatures find, and what they confuse."""

from dataclasses import replace
from pathlib import Path

import click

from hss_stream.commands.evaluate_options import evaluation_options, print_rows
from hss_stream.commands.output import report_problems
from hss_stream.lab.imatch_documents import read_documents
from hss_stream.lab.imatch_evaluation import evaluate_matching, plot_recall, stability_rows
from hss_stream.models.lexicon_file import SHIPPED, load_lexicon
from hss_stream.signals.lexicon import SETTINGS
from hss_stream.sources.records import KINDS, Kind, ProblemCount, open_sources


@click.command()
@evaluation_options
@click.option("--ham", multiple=True, metavar="SOURCE", help="Honest mail: none of it may match; repeatable.")
@click.option("--as", "kind", type=click.Choice(KINDS), help="What the files are, where the guess is wrong.")
@click.option(
    "--lexicon",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=SHIPPED,
    help="Lexicon file; by default the one shipped.",
)
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw recall by copies here.")
def command(
    sources: tuple[str, ...],
    setting: str,
    ham: tuple[str, ...],
    kind: Kind | None,
    lexicon: Path,
    plot: Path | None,
    seed: int,
    *,
    as_json: bool,
) -> None:
    """Compare signatures with the cosine of word sets (table 1 and figure 2 of the 2004 paper).

    Recall is against all documents with a cosine of at least 0.9, exact duplicates removed. Further rows:
    what share of the texts keeps a signature under changes, beside equation 1.
    """
    problems = ProblemCount()
    words = load_lexicon(lexicon).with_setting(replace(SETTINGS[setting], seed=seed))
    documents = read_documents(open_sources(sources, kind=kind, on_problem=problems))
    honest = read_documents(open_sources(ham, kind=kind, on_problem=problems)) if ham else None
    found, rows = evaluate_matching(documents, words, honest)
    if plot:
        plot_recall(found, plot)
    print_rows("imatch", setting, rows + stability_rows(documents, words, seed), as_json=as_json)
    report_problems(problems)
