"""`hss-stream demo`: what the program does, shown on a crawl it generates itself.

No Kafka, no network: a small web with its truth is generated, streamed through the very agents that a worker
runs, with a real Valkey beside them, and what came out is compared with the truth. No label is given, and
the families of pages shown are not those that the thresholds were set on.
"""

import asyncio
import secrets
import time
from contextlib import nullcontext

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from hss_stream.commands.demo_screen import (
    show_alerts,
    show_clusters,
    show_letters,
    show_providers,
    show_truth,
)
from hss_stream.commands.demo_serve import serve, worker_metrics
from hss_stream.commands.demo_stream import DemoStream, open_demo_stream
from hss_stream.commands.demo_truth import count
from hss_stream.commands.output import print_json
from hss_stream.lab.crawl import generate_crawl
from hss_stream.lab.crawl_page import CrawlPage
from hss_stream.settings import load_settings

PAGES = 4000


@click.command()
@click.option("--pages", type=click.IntRange(50), default=PAGES, show_default=True, help="Pages to generate.")
@click.option("--seed", type=int, help="Seed of the generated web; without it a new one every time.")
@click.option("--serve", "is_served", is_flag=True, help="Then answer look-ups about it, until stopped.")
@click.option("--json", "as_json", is_flag=True, help="The figures alone, as one JSON object.")
def command(pages: int, seed: int | None, *, is_served: bool, as_json: bool) -> None:
    """See what it does, on a crawl it generates and streams through the real agents."""
    number = secrets.randbelow(1_000_000) if seed is None else seed
    asyncio.run(_run(number, pages, is_served=is_served, as_json=as_json))


async def _run(seed: int, pages: int, *, is_served: bool, as_json: bool) -> None:
    settings = load_settings().model_copy(update={"broker": "memory://"})
    crawl = list(generate_crawl(seed=seed, pages=pages, half="report"))
    async with open_demo_stream(settings) as stream:
        with worker_metrics(stream, settings) if is_served else nullcontext(0) as metrics_port:
            start = time.monotonic()
            await _send_with_progress(stream, crawl)
            seconds = time.monotonic() - start
            if as_json:
                print_json(_figures(stream, crawl, seed))
            else:
                _show(stream, crawl, seed, seconds)
            if is_served:
                await serve(stream, settings, metrics_port)


async def _send_with_progress(stream: DemoStream, crawl: list[CrawlPage]) -> None:
    columns = (
        TextColumn("streaming"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} pages"),
    )
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("streaming", total=len(crawl))
        await stream.send_pages(crawl, lambda done: bar.update(task, completed=done))


def _figures(stream: DemoStream, crawl: list[CrawlPage], seed: int) -> dict[str, object]:
    arrival, now = count(crawl, stream.result)
    return {
        "seed": seed,
        "pages": len(crawl),
        "precision": now.precision,
        "recall": now.recall,
        "precision_on_arrival": arrival.precision,
        "recall_on_arrival": arrival.recall,
        "alerts": len(stream.result.alerts),
        "dead_letters": len(stream.result.letters),
    }


def _show(stream: DemoStream, crawl: list[CrawlPage], seed: int, seconds: float) -> None:
    rate = len(crawl) / seconds
    click.echo(f"{len(crawl):,} generated pages (seed {seed}) streamed at {rate:,.0f} pages a second.\n")
    show_clusters(stream.result)
    show_alerts(stream.result)
    show_providers(stream.result)
    show_letters(stream.result)
    show_truth("Against the truth, without any label", *count(crawl, stream.result))
    click.echo(f"See the same again: hss-stream demo --seed {seed} --pages {len(crawl)}")
    click.echo("On your own pages: hss-stream replay SOURCE…, hss-stream score FILE…, hss-stream compare A B")
