"""`hss-stream train lexicon`: from any corpus to the words that I-Match looks at."""

from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from hss_stream.commands.output import report_problems
from hss_stream.lab.corpus_text import record_documents
from hss_stream.lab.lexicon_training import DocumentCounter, lexicon_of
from hss_stream.models.lexicon_file import FILE_NAME, write_lexicon
from hss_stream.signals.lexicon import SETTINGS, LexiconSetting
from hss_stream.signals.words import WordHasher
from hss_stream.sources.records import KINDS, Kind, ProblemCount, open_sources

MEGABYTE = 1 << 20


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder to write the lexicon to.")
@click.option("--as", "kind", type=click.Choice(KINDS), help="What the files are, where the guess is wrong.")
@click.option(
    "--setting",
    type=click.Choice(tuple(SETTINGS)),
    default="default",
    show_default=True,
    help="The paper to the letter, or what the stream uses.",
)
@click.option(
    "--seed", default=1, show_default=True, help="Which words the copies lack; a secret if you like."
)
@click.option("--least-documents", default=3, show_default=True, help="Documents that must have a word.")
@click.option("--memory-megabytes", default=256, show_default=True, help="Memory to count in.")
def command(
    *,
    sources: tuple[str, ...],
    out: Path,
    kind: Kind | None,
    setting: str,
    seed: int,
    least_documents: int,
    memory_megabytes: int,
) -> None:
    """Train a lexicon on the text of the sources; the same sources give the same lexicon.

    Take a large clean collection of text, not mail: a lexicon from mail makes ham match spam.
    """
    counter = DocumentCounter(memory_megabytes * MEGABYTE)
    hasher = WordHasher()
    problems = ProblemCount()
    with Progress(console=Console(stderr=True)) as progress:
        bar = progress.add_task("reading", total=None)
        for record in open_sources(sources, kind=kind, on_problem=problems):
            for document in record_documents(record):
                counter.add(hasher.hash(document))
            progress.advance(bar)
    counts = counter.finish()
    chosen = LexiconSetting(**{**vars(SETTINGS[setting]), "seed": seed})
    lexicon = lexicon_of(counts, chosen, least_documents=least_documents)
    facts = {"least_documents": least_documents, "floor": counts.floor}
    out.mkdir(parents=True, exist_ok=True)
    write_lexicon(out / FILE_NAME, lexicon, facts)
    click.echo(f"{out / FILE_NAME}: {lexicon.name}, {lexicon.documents} documents, {lexicon.terms} words")
    report_problems(problems)
