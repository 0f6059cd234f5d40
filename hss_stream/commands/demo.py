"""`hss-stream demo`: what the program does, shown on a crawl it generates itself.

No Kafka, no network: a small web with its truth is generated, streamed through the very agents that a worker
runs, with a real Valkey beside them, and what came out is compared with the truth. The first three quarters
come without any label; then an editor labels one cluster and one campaign, and the rest follows. The families
of pages shown are not those that the thresholds were set on.
"""

import asyncio
import secrets
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from hss_stream.commands.demo_editor import (
    Spread,
    choose_clusters,
    label_of,
    largest_campaign,
    spread_over_mail,
    spread_over_pages,
)
from hss_stream.commands.demo_screen import (
    show_alerts,
    show_clusters,
    show_letters,
    show_providers,
    show_spread,
    show_truth,
)
from hss_stream.commands.demo_serve import serve, worker_metrics
from hss_stream.commands.demo_stream import DemoStream, open_demo_stream
from hss_stream.commands.demo_truth import count
from hss_stream.commands.output import print_json
from hss_stream.lab.crawl import generate_crawl
from hss_stream.lab.crawl_mail import CrawlMail, generate_mail
from hss_stream.lab.crawl_page import CrawlPage
from hss_stream.lab.judge_crawl import Tally
from hss_stream.settings import load_settings
from hss_stream.steps.text_signals import use_text_options

PAGES = 4000
# One message to so many pages; the share of both that comes before the editor's word.
PAGES_A_MAIL = 20
UNLABELLED = 0.75


@dataclass
class Demo:
    """One run: what is sent, and what was seen of it before and after the editor's word."""

    seed: int
    crawl: list[CrawlPage]
    mails: list[CrawlMail]
    seconds: float = 0.0
    unlabelled: tuple[Tally, Tally] | None = None
    labelled: tuple[Tally, Tally] | None = None
    spreads: list[tuple[Spread, str]] = field(default_factory=list)

    @property
    def parts(self) -> tuple[Sequence[CrawlPage], Sequence[CrawlPage]]:
        """Pages before and after the word."""
        cut = round(len(self.crawl) * UNLABELLED)
        return self.crawl[:cut], self.crawl[cut:]

    @property
    def mail_parts(self) -> tuple[Sequence[CrawlMail], Sequence[CrawlMail]]:
        """Messages before and after the word."""
        cut = round(len(self.mails) * UNLABELLED)
        return self.mails[:cut], self.mails[cut:]


@click.command()
@click.option("--pages", type=click.IntRange(50), default=PAGES, show_default=True, help="Pages to generate.")
@click.option("--seed", type=int, help="Seed of the generated web; without it a new one every time.")
@click.option("--label-farms", is_flag=True, help="Let the editor label one cluster of every farm.")
@click.option("--serve", "is_served", is_flag=True, help="Then answer look-ups about it, until stopped.")
@click.option("--json", "as_json", is_flag=True, help="The figures alone, as one JSON object.")
def command(pages: int, seed: int | None, *, label_farms: bool, is_served: bool, as_json: bool) -> None:
    """See what it does, on a crawl it generates and streams through the real agents."""
    number = secrets.randbelow(1_000_000) if seed is None else seed
    demo = Demo(
        number,
        list(generate_crawl(seed=number, pages=pages, half="report")),
        list(generate_mail(seed=number, messages=pages // PAGES_A_MAIL, half="report")),
    )
    asyncio.run(_run(demo, each_farm=label_farms, is_served=is_served, as_json=as_json))


async def _run(demo: Demo, *, each_farm: bool, is_served: bool, as_json: bool) -> None:
    settings = load_settings().model_copy(update={"broker": "memory://"})
    use_text_options(settings.faketext.to_options())
    async with open_demo_stream(settings) as stream:
        with worker_metrics(stream, settings) if is_served else nullcontext(0) as metrics_port:
            await _stream_all(stream, demo, each_farm=each_farm)
            if as_json:
                print_json(_figures(stream, demo))
            else:
                _show(stream, demo)
            if is_served:
                await serve(stream, settings, metrics_port)


async def _stream_all(stream: DemoStream, demo: Demo, *, each_farm: bool) -> None:
    """Send everything, with the editor's word in between."""
    first, rest = demo.parts
    early, late = demo.mail_parts
    columns = (
        TextColumn("streaming"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} pages and messages"),
    )
    start = time.monotonic()
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("streaming", total=len(demo.crawl) + len(demo.mails))
        await stream.send(first, early, lambda done: bar.update(task, completed=done))
        demo.unlabelled = count(first, stream.result)
        clusters = choose_clusters(first, stream.result, each_farm=each_farm)
        campaign = largest_campaign(early, stream.result)
        await stream.send_labels(label_of(one) for one in [*clusters, campaign] if one is not None)
        await stream.send(rest, late, lambda done: bar.update(task, completed=done))
    demo.seconds = time.monotonic() - start
    demo.labelled = count(rest, stream.result)
    demo.spreads = [(spread_over_pages(one, first, rest, stream.result), "pages") for one in clusters]
    if campaign is not None:
        demo.spreads.append((spread_over_mail(campaign, early, late, stream.result), "messages"))


def _figures(stream: DemoStream, demo: Demo) -> dict[str, object]:
    figures: dict[str, object] = {
        "seed": demo.seed,
        "pages": len(demo.crawl),
        "messages": len(demo.mails),
        "alerts": len(stream.result.alerts),
        "dead_letters": len(stream.result.letters),
    }
    for name, tallies in (("unlabelled", demo.unlabelled), ("labelled", demo.labelled)):
        if tallies is not None:
            arrival, now = tallies
            figures[name] = {
                "precision": now.precision,
                "recall": now.recall,
                "precision_on_arrival": arrival.precision,
                "recall_on_arrival": arrival.recall,
            }
    return figures


def _show(stream: DemoStream, demo: Demo) -> None:
    both = len(demo.crawl) + len(demo.mails)
    click.echo(
        f"{len(demo.crawl):,} generated pages and {len(demo.mails):,} messages (seed {demo.seed}) "
        f"streamed at {both / demo.seconds:,.0f} a second.\n"
    )
    show_clusters(stream.result)
    show_alerts(stream.result)
    show_providers(stream.result)
    show_letters(stream.result)
    if demo.unlabelled is not None:
        show_truth("The first three quarters against the truth, without any label", *demo.unlabelled)
    for spread, unit in demo.spreads:
        show_spread(spread, unit)
    if demo.labelled is not None:
        show_truth("The last quarter, after the editor's word", *demo.labelled)
    click.echo(f"See the same again: hss-stream demo --seed {demo.seed} --pages {len(demo.crawl)}")
    click.echo("On your own pages: hss-stream replay SOURCE…, hss-stream score FILE…, hss-stream compare A B")
