"""`hss-stream demo`: what the program does, shown on a crawl it generates itself.

No Kafka, no network: a small web with its truth is generated, streamed through the very agents that a worker
runs, with a real Valkey beside them, and what came out is compared with the truth. No label is given, and
the families of pages shown are not those that the thresholds were set on.
"""

import asyncio
import secrets
import time
from collections import Counter
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from hss_stream.commands.demo_stream import DemoResult, stream_crawl
from hss_stream.commands.output import print_json, print_table
from hss_stream.lab.crawl import generate_crawl
from hss_stream.lab.crawl_page import CrawlPage
from hss_stream.lab.judge_crawl import JudgedPage, Tally, tally
from hss_stream.verdicts.cluster_class import rank

PAGES = 4000
SHOWN_CLUSTERS = 12
SHOWN_ALERTS = 6


@click.command()
@click.option("--pages", type=click.IntRange(50), default=PAGES, show_default=True, help="Pages to generate.")
@click.option("--seed", type=int, help="Seed of the generated web; without it a new one every time.")
@click.option("--json", "as_json", is_flag=True, help="The figures alone, as one JSON object.")
def command(pages: int, seed: int | None, *, as_json: bool) -> None:
    """See what it does, on a crawl it generates and streams through the real agents."""
    number = secrets.randbelow(1_000_000) if seed is None else seed
    crawl = list(generate_crawl(seed=number, pages=pages, half="report"))
    start = time.monotonic()
    result = stream_with_progress(crawl)
    rate = len(crawl) / (time.monotonic() - start)
    counted = tally(judged_pages(crawl, result))
    if as_json:
        found = {
            "seed": number,
            "pages": len(crawl),
            "precision": counted.precision,
            "recall": counted.recall,
        }
        print_json({**found, "alerts": len(result.alerts), "dead_letters": len(result.letters)})
        return
    click.echo(f"{len(crawl):,} generated pages (seed {number}) streamed at {rate:,.0f} pages a second.\n")
    show_clusters(result)
    show_alerts(result)
    show_letters(result)
    show_truth(counted)
    click.echo(f"See the same again: hss-stream demo --seed {number} --pages {pages}")
    click.echo("On your own pages: hss-stream replay SOURCE…, hss-stream score FILE…, hss-stream compare A B")


def stream_with_progress(crawl: list[CrawlPage]) -> DemoResult:
    """Stream the crawl with a progress bar on standard error."""
    columns = (
        TextColumn("streaming"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} pages"),
    )
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("streaming", total=len(crawl))
        return asyncio.run(stream_crawl(crawl, lambda done: bar.update(task, completed=done)))


def judged_pages(crawl: list[CrawlPage], result: DemoResult) -> list[JudgedPage]:
    """Return every page with what was said about it; a page that became a dead letter was not judged."""
    judged = []
    for page in crawl:
        event = result.attachments.get(page.url)
        verdict = event["verdict"] if event is not None else "unknown"
        reasons = tuple(reason["name"] for reason in event["reasons"] or ()) if event is not None else ()
        score = event["score"] or 0.0 if event is not None else 0.0
        judged.append(JudgedPage(page, verdict, score, reasons, event["cluster"] if event else None))
    return judged


def show_clusters(result: DemoResult) -> None:
    """Print the style clusters as table 1 of the 2006 paper sorts them."""
    alive = [one for one in result.clusters.values() if one["space"] == "style" and one["change"] != "merged"]
    alive.sort(key=lambda one: -rank(one["mean_similarity"] or 0.0, one["domains"]))
    rows = [
        (one["class"], one["pages"], one["domains"], one["mean_similarity"], one["prototype"])
        for one in alive[:SHOWN_CLUSTERS]
    ]
    title = f"{len(alive)} style clusters by mean similarity x domains, as last announced; the first"
    print_table(title, ("class", "pages ", "domains ", "similarity ", "first page"), rows)


def show_alerts(result: DemoResult) -> None:
    """Print how many alerts went out, and the first of each subject with their reasons."""
    counts = Counter((alert["subject"], alert["verdict"]) for alert in result.alerts)
    told = ", ".join(f"{count:,} {subject} {verdict}" for (subject, verdict), count in sorted(counts.items()))
    shown: list[dict[str, Any]] = []
    for subject in ("cluster", "host", "page"):
        shown += [alert for alert in result.alerts if alert["subject"] == subject][: SHOWN_ALERTS // 3]
    rows = [
        (
            alert["subject"],
            alert["verdict"],
            alert["score"],
            alert["subject_id"],
            reasons_text(alert["reasons"]),
        )
        for alert in shown
    ]
    columns = ("subject", "verdict", "score ", "which", "because")
    print_table(f"Alerts: {told or 'none'}; some of them", columns, rows)


def reasons_text(reasons: list[dict[str, Any]]) -> str:
    """Return reasons as a line each: name, weight and the facts that fit."""
    lines = []
    for reason in reasons:
        facts = ", ".join(
            f"{name} {value}" for name, value in reason["facts"].items() if isinstance(value, int | float)
        )
        lines.append(f"{reason['name']} {reason['weight']:+.1f} {facts}".rstrip())
    return "; ".join(lines)


def show_letters(result: DemoResult) -> None:
    """Say what could not be read."""
    counts = Counter(letter["hss-reason"] for letter in result.letters)
    told = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
    click.echo(f"Dead letters: {told or 'none'}.\n")


def show_truth(counted: Tally) -> None:
    """Print what was found and missed, by kind of page, against the generated truth."""
    rows = [
        (
            kind,
            truth,
            pages,
            found,
            suspect,
            ("recall " if truth == "spam" else "false ") + f"{found / pages:.0%}",
        )
        for kind, truth, pages, found, suspect in sorted(
            counted.rows(), key=lambda row: (row[1] != "spam", row[0])
        )
    ]
    figures = f"precision {counted.precision:.3f}, recall {counted.recall:.3f}"
    title = f"Against the truth, without any label: {figures}"
    print_table(title, ("kind of page", "truth", "pages ", "called spam ", "suspect ", ""), rows)
