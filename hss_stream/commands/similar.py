"""`hss-stream similar`: one page against all others, by falling similarity (section 4.1 of the 2006 paper).

The curve has gaps: a drop of many slots from one page to the next marks another template, the last of
them the end of the site.
"""

from pathlib import Path
from typing import Any

import click
import numpy as np

from hss_stream.commands.output import print_json, print_table, report_problems
from hss_stream.commands.read_one import read_one
from hss_stream.errors import SourceError
from hss_stream.signals.page_scan import scan_page
from hss_stream.signals.style_sketch import SLOTS
from hss_stream.sources.records import ProblemCount, open_sources
from hss_stream.verdicts.style_match import matching_slots_many, sketch_rows

# Two standard deviations of an estimate from 128 slots at its widest (similarity one half).
GAP_SLOTS = 11
BATCH_PAGES = 4096


@click.command()
@click.argument("page")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="Rows of the table.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Write the curve as a picture.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a page, all pages.")
def command(page: str, sources: tuple[str, ...], limit: int, plot: Path | None, *, as_json: bool) -> None:
    """Compare one PAGE with every page of the sources, nearest first, and show the gaps."""
    body, _ = read_one(page, "page")
    problems = ProblemCount()
    rows = rank_pages(scan_page(body).style.to_bytes(), sources, problems)
    if plot is not None:
        draw_curve(rows, page, plot)
    if as_json:
        for row in rows:
            print_json(row)
    else:
        show_rows(page, rows, limit)
    report_problems(problems)


def rank_pages(sketch: bytes, sources: tuple[str, ...], problems: ProblemCount) -> list[dict[str, Any]]:
    """Return a row a page by falling similarity; `gap` is true on the last page before a drop."""
    urls: list[str] = []
    counts: list[int] = []
    batch: list[bytes] = []

    def count_batch() -> None:
        counts.extend(matching_slots_many(sketch, sketch_rows(b"".join(batch))).tolist())
        batch.clear()

    for record in open_sources(sources, on_problem=problems):
        if record.kind != "page":
            continue
        urls.append(record.url)
        batch.append(scan_page(record.body, record.content_type).style.to_bytes())
        if len(batch) == BATCH_PAGES:
            count_batch()
    count_batch()
    ranked = sorted(zip(counts, urls, strict=True), key=lambda row: (-row[0], row[1]))
    drops = -np.diff([count for count, _ in ranked], append=ranked[-1][0] if ranked else 0)
    return [
        {"url": url, "matching_slots": count, "similarity": count / SLOTS, "gap": bool(drop >= GAP_SLOTS)}
        for (count, url), drop in zip(ranked, drops.tolist(), strict=True)
    ]


def show_rows(page: str, rows: list[dict[str, Any]], limit: int) -> None:
    """Print the nearest pages as a table, with a line where a gap begins."""
    shown: list[tuple[object, ...]] = []
    for place, row in enumerate(rows[:limit], 1):
        shown.append((place, row["matching_slots"], row["similarity"], row["url"]))
        if row["gap"]:
            shown.append(("", "", "", "── gap ──"))
    print_table(f"{len(rows):,} pages by similarity to {page}", ("", "slots ", "similarity ", "page"), shown)


def draw_curve(rows: list[dict[str, Any]], page: str, path: Path) -> None:
    """Write the falling curve with its gaps as a picture; the ending of the name tells the format."""
    # Half a second to import, and only this needs it.
    from matplotlib.figure import Figure  # noqa: PLC0415 - see the line above

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    axes.plot(range(1, len(rows) + 1), [row["similarity"] for row in rows], drawstyle="steps-mid")
    for place, row in enumerate(rows, 1):
        if row["gap"]:
            axes.axvline(place + 0.5, color="tab:red", linestyle=":", linewidth=1)
    axes.set(xlabel="pages, by falling similarity", ylabel="similarity", ylim=(0, 1.02))
    axes.set_title(f"Similarity to {page}; dotted: gaps")
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise SourceError(f"writing the plot {path}: {error}") from error
