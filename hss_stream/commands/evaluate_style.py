"""`hss-stream evaluate style`: clusters by style against labels, and what the sketch promises."""

from pathlib import Path

import click

from hss_stream.commands.evaluate_options import (
    evaluation_options,
    label_options,
    print_rows,
    read_label_lists,
)
from hss_stream.commands.output import report_problems
from hss_stream.lab.style_evaluation import (
    Setting,
    evaluate_clusters,
    evaluate_estimate,
    evaluate_misses,
    sketch_pages,
)
from hss_stream.sources.records import ProblemCount, open_sources


@click.command()
@evaluation_options
@label_options
def command(
    sources: tuple[str, ...],
    setting: Setting,
    labels: Path | None,
    precision_by: str | None,
    recall_by: str | None,
    seed: int,
    *,
    as_json: bool,
) -> None:
    """Cluster pages by style in one batch (procedure 2) and compare the clusters with labels.

    Further rows: how many similar pairs the probing misses, and the error of the estimate (figure 1).
    """
    problems = ProblemCount()
    sketches = sketch_pages(open_sources(sources, on_problem=problems), setting, seed)
    coarse, fine = read_label_lists(labels, sketches.urls, precision_by, recall_by)
    rows = [
        evaluate_clusters(sketches, coarse, fine),
        evaluate_misses(sketches, seed),
        evaluate_estimate(sketches),
    ]
    print_rows("style", setting, rows, as_json=as_json)
    report_problems(problems)
