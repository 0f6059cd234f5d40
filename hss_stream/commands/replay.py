"""`hss-stream replay`: run all steps over a source without Kafka, and print what comes out."""

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import orjson
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hss_stream.commands.named_records import read_records
from hss_stream.commands.replay_screen import ReplayScreen
from hss_stream.errors import SourceError
from hss_stream.settings import load_settings
from hss_stream.sources.record import ProblemCount
from hss_stream.steps.judge_nameservers import JudgeNameservers
from hss_stream.steps.judge_pages import TEXT_RULES, build_judge
from hss_stream.steps.note_sites import NoteSites
from hss_stream.steps.replay_pages import Replay, Spool
from hss_stream.steps.text_signals import use_text_options
from hss_stream.store.open_store import EMBEDDED, make_store
from hss_stream.store.spaces import sibling_providers, sibling_store


def _time(_context: click.Context, _option: click.Parameter, value: str | None) -> int | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise click.BadParameter("give an RFC 3339 time such as 2026-01-31T12:00:00Z") from error
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: events, placements, clusters.")
@click.option("--store", default=EMBEDDED, show_default=True, help="memory, embedded://[PATH] or redis://…")
@click.option("--now", callback=_time, help="Time of pages without one, and limit of all (RFC 3339).")
@click.option("--resume", type=int, metavar="RUN", help="Go on with a run that was cut off.")
@click.option("--spool", type=click.Path(dir_okay=False), help="File that notes where each page went.")
@click.option("--as", "kind", type=click.Choice(["page", "mail", "text"]), help="Read every record as this.")
@click.option(
    "--nameservers", "names", type=click.Path(path_type=Path), help="JSONL with the name servers of domains."
)
@click.option("--away", default=30.0, show_default=True, help="Seconds to wait for a store that is away.")
def command(
    sources: tuple[str, ...], as_json: bool, store: str, now: int | None, resume: int | None,  # noqa: FBT001 - click gives flags so
    spool: str | None, kind: Any, names: Path | None, away: float,
) -> None:  # fmt: skip
    """Run all steps over a source, without Kafka, deterministically.

    A source is a folder, .warc[.gz], .arc[.gz], .jsonl[.gz|.zst], or - for JSONL on standard input.
    """
    for source in sources:
        if source != "-" and not Path(source).exists():
            raise SourceError(f"opening {source}: No such file or directory")
    problems = ProblemCount()
    records = read_records(sources, kind, names, problems)
    with tempfile.TemporaryDirectory(prefix="hss-spool-") as folder:
        asyncio.run(_replay(records, as_json, store, now, resume, spool, away, folder))
    for problem in problems.first:
        click.echo(f"hss-stream: {problem}", err=True)


async def _replay(
    records: Iterator[Any], as_json: bool, address: str, now: int | None, resume: int | None,  # noqa: FBT001 - as above
    spool: str | None, away: float, folder: str,
) -> None:  # fmt: skip
    tree = load_settings()
    use_text_options(tree.faketext.to_options())
    store = make_store(address, prefix=tree.store.prefix, shards=tree.store.shards, away_seconds=away)
    texts = sibling_store(store, "text", TEXT_RULES)
    providers = sibling_providers(store)
    try:
        await store.open()
        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            await texts.open()
            await providers.open()
            rules, lists = tree.verdict.to_rules(), tree.verdict.to_lists()
            sites = NoteSites(providers)
            place = build_judge(store, texts, executor=threads, rules=rules, lists=lists, sites=sites)
            judge_sites = JudgeNameservers(providers, executor=threads, quorum=tree.verdict.quorum)
            run = Replay(store, place, Spool(Path(folder) / "spool"), judge_sites, now)
            number = await store.new_run() if resume is None else resume
            run.spool = Spool(_spool_path(spool, address, folder, number))
            start = await run.begin(number)
            click.echo(f"hss-stream: run {number}, from record {start}", err=True)
            await (_print_json(run, records, start) if as_json else _print_tables(run, records, start))
            _print_rest(run)
    finally:
        await texts.close()
        await providers.close()
        await store.close()


def _spool_path(spool: str | None, address: str, folder: str, number: int) -> Path:
    if spool is not None:
        return Path(spool)
    kept = address.removeprefix(EMBEDDED) if address.startswith(EMBEDDED) else ""
    return Path(kept or folder) / f"replay-{number}.spool"


async def _print_json(run: Replay, records: Iterator[Any], start: int) -> None:
    out = sys.stdout.buffer
    async for events in run.events(records, start):
        out.write(b"".join(event.encode() + b"\n" for event in events if event.body is not None))
        out.flush()
    async for row in run.report():
        out.write(orjson.dumps(row) + b"\n")
    out.flush()


async def _print_tables(run: Replay, records: Iterator[Any], start: int) -> None:
    columns = (
        SpinnerColumn(), TextColumn("{task.completed:,} pages"), TextColumn("{task.fields[rate]} pages/s"),
        TimeElapsedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    screen = ReplayScreen()
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("replay", total=None, completed=start, rate="?")
        async for events in run.events(records, start):
            screen.take(events)
            speed = bar.tasks[0].finished_speed or bar.tasks[0].speed
            bar.update(task, completed=run.done, rate=f"{speed:,.0f}" if speed else "?")
    async for row in run.report():
        if row["event"] == "summary":
            screen.take_cluster(row)
    screen.show()


def _print_rest(run: Replay) -> None:
    for kind, count in sorted(run.left_out.items()):
        click.echo(f"hss-stream: {count} records of kind {kind} left out: only pages are replayed", err=True)
    for line in run.bad:
        click.echo(f"hss-stream: {line}", err=True)
    if run.missing > 0:
        click.echo(
            f"hss-stream: {run.missing} pages of the run are not in the spool; give --spool to see them all",
            err=True,
        )
