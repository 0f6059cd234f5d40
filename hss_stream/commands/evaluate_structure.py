"""`hss-stream evaluate structure`: the distances R, F and D on the user's own pages."""

from pathlib import Path

import click

from hss_stream.commands.evaluate_options import (
    evaluation_options,
    label_options,
    print_rows,
    read_label_lists,
)
from hss_stream.commands.output import report_problems
from hss_stream.lab.structure_evaluation import (
    draw_pairs,
    evaluate_cascade,
    evaluate_distances,
    read_structures,
)
from hss_stream.signals.tag_structure import PAPER_THRESHOLD
from hss_stream.sources.records import ProblemCount, open_sources


@click.command()
@evaluation_options
@label_options
@click.option(
    "--pairs", "count", type=click.IntRange(1), default=20_000, show_default=True, help="Pairs drawn."
)
def command(
    sources: tuple[str, ...],
    setting: str,
    labels: Path | None,
    precision_by: str | None,
    recall_by: str | None,
    seed: int,
    count: int,
    *,
    as_json: bool,
) -> None:
    """Draw pairs of pages and print how R, F and D tell equal labels from others, and what cascades save.

    With labels, half of the pairs have equal ones (--recall-by, or else --precision-by).
    """
    problems = ProblemCount()
    urls, structures = read_structures(open_sources(sources, on_problem=problems))
    coarse, fine = read_label_lists(labels, urls, precision_by, recall_by)
    chosen = fine or coarse
    if len(structures) > 1:
        pairs = draw_pairs(chosen, len(structures), count, seed)
        rows = [
            *evaluate_distances(structures, chosen, pairs),
            *(
                evaluate_cascade(structures, pairs, PAPER_THRESHOLD, lossless=lossless)
                for lossless in (False, True)
            ),
        ]
        print_rows("structure", setting, rows, as_json=as_json)
    else:
        click.echo("hss-stream: evaluating structure: fewer than two pages in the sources", err=True)
    report_problems(problems)
