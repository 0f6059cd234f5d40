"""`hss-stream feed`: pages or messages of files into Kafka, with a progress bar, resumable."""

import asyncio
import hashlib
import os
from dataclasses import asdict
from pathlib import Path
from typing import Self

import click
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from hss_stream.commands.named_records import read_records
from hss_stream.commands.output import print_json, report_problems
from hss_stream.settings import load_settings
from hss_stream.sources.record import Kind, ProblemCount
from hss_stream.stream.connection import bootstrap_servers, client_options
from hss_stream.stream.feed import FeedCount, Feeder
from hss_stream.stream.feed_state import FeedState, load_state
from hss_stream.stream.topics import Topics

MAIL_ENDINGS = (".mbox", ".mbox.gz", ".eml")


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--broker", help="Kafka, as kafka://host:port; default HSS_BROKER.")
@click.option(
    "--as", "kind", type=click.Choice(["page", "mail"]), help="What the sources hold; default by their names."
)
@click.option(
    "--nameservers", "names", type=click.Path(path_type=Path), help="JSONL with the name servers of domains."
)
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), help="Most pages or messages a second.")
@click.option(
    "--compression", type=click.Choice(["none", "gzip", "lz4", "zstd"]), default="zstd", show_default=True
)
@click.option(
    "--resume", is_flag=True, help="Go on with an interrupted feed of the same sources; nothing is repeated."
)
@click.option(
    "--state", type=click.Path(path_type=Path), help="File that remembers how far the feed has come."
)
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
def command(
    sources: tuple[str, ...],
    broker: str | None,
    kind: Kind | None,
    names: Path | None,
    rate: float | None,
    compression: str,
    state: Path | None,
    *,
    resume: bool,
    as_json: bool,
) -> None:
    """Send the pages or messages of the sources to Kafka (hss.pages, hss.mail), in order."""
    settings = load_settings()
    address = broker or settings.broker
    if not address.startswith("kafka://"):
        raise click.UsageError("a feed needs a real broker: set HSS_BROKER or --broker to kafka://host:port")
    if resume and "-" in sources:
        raise click.UsageError("standard input cannot be read again, so a feed of it cannot be resumed")
    what: Kind = kind or kind_of(sources)
    topics = Topics(settings.topic_prefix)
    topic = topics.mail if what == "mail" else topics.pages
    path = state or default_state(topic, sources)
    known = load_state(path, topic, list(sources)) if resume else FeedState(topic, list(sources))
    problems = ProblemCount()
    with ProgressLine(f"feeding {topic}") as show:
        feeder = Feeder(
            bootstrap_servers(address), client_options(settings.kafka), known, lambda: known.save(path),
            what, compression, rate, show,
        )  # fmt: skip
        count = asyncio.run(feeder.run(read_records(sources, what, names, problems)))
    report(count, problems, path, topic, as_json=as_json)


def kind_of(sources: tuple[str, ...]) -> Kind:
    """Return what sources hold by their names; a folder holds mail where all its files are named so."""
    kinds = {"mail" if _is_mail(Path(source)) else "page" for source in sources}
    if len(kinds) > 1:
        raise click.UsageError("some of these are mail and some are pages: feed them apart, or say --as")
    return "mail" if "mail" in kinds else "page"


def _is_mail(source: Path) -> bool:
    if not source.is_dir():
        return source.name.lower().endswith(MAIL_ENDINGS)
    files = [path for path in source.rglob("*") if path.is_file()]
    return bool(files) and all(path.name.lower().endswith(MAIL_ENDINGS) for path in files)


def default_state(topic: str, sources: tuple[str, ...]) -> Path:
    """Return where the state of a feed of these sources is kept."""
    home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    named = "\0".join([topic, *(str(Path(source).resolve()) for source in sources)])
    return home / "hss-stream" / f"feed-{hashlib.sha256(named.encode()).hexdigest()[:16]}.json"


class ProgressLine:
    """A line on standard error that says how much was sent and how fast."""

    def __init__(self, title: str) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn(title),
            TextColumn("{task.fields[text]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(title, total=None, text="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def __call__(self, count: FeedCount) -> None:
        """Show the counts."""
        elapsed = self._progress.tasks[0].elapsed or 0.0
        rate = count.records / elapsed if elapsed > 0 else 0.0
        text = f"{count.records:,} records, {count.bytes / 1e6:,.1f} MB, {rate:,.0f}/s"
        self._progress.update(self._task, text=text)


def report(count: FeedCount, problems: ProblemCount, path: Path, topic: str, *, as_json: bool) -> None:
    """Say what was sent, what was there already and what could not be."""
    if as_json:
        fields = {"event": "feed", "topic": topic, **asdict(count), "problems": dict(problems.counts)}
        print_json({**fields, "state": str(path)})
    else:
        there = f", {count.repeated:,} were there already" if count.repeated else ""
        refused = f", {count.refused:,} refused (too large, or of another kind)" if count.refused else ""
        click.echo(f"{count.records:,} records ({count.bytes / 1e6:,.1f} MB) sent to {topic}{there}{refused}")
    report_problems(problems)
