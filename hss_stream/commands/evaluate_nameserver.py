"""`hss-stream evaluate nameserver`: tables 1 to 4 of the 2015 paper on the user's own data."""

from pathlib import Path

import click

from hss_stream.commands.evaluate_options import evaluation_options, print_rows
from hss_stream.commands.named_records import read_records
from hss_stream.commands.output import exit_with, report_problems
from hss_stream.lab.known_providers import known_providers
from hss_stream.lab.nameserver_evaluation import (
    KnownProvider,
    Setting,
    evaluate_providers,
    measure_agreement,
    table_rows,
)
from hss_stream.lab.simulated_providers import Half, read_pools, simulate_providers
from hss_stream.lab.threshold_choice import try_thresholds
from hss_stream.sources.records import ProblemCount
from hss_stream.steps.scan_page import domain_of_url


@click.command()
@evaluation_options
@click.option(
    "--simulate", is_flag=True, help="SOURCE is a folder of real pages; who hosts them is simulated."
)
@click.option(
    "--providers", type=click.IntRange(1), default=120, show_default=True, help="Farms to simulate."
)
@click.option(
    "--half",
    type=click.Choice(["all", "tune", "report"]),
    default="all",
    show_default=True,
    help="Which families of pages to simulate with: thresholds were chosen on `tune`.",
)
@click.option(
    "--nameservers", "names", type=click.Path(path_type=Path), help="JSONL with the name servers of domains."
)
@click.option("--choose", is_flag=True, help="Try thresholds, and print what each would reach.")
@click.option("--shuffles", type=click.IntRange(0), default=0, show_default=True,
              help="Arrivals in how many orders to compare the stream with the batch.")  # fmt: skip
def command(
    sources: tuple[str, ...],
    setting: Setting,
    seed: int,
    providers: int,
    shuffles: int,
    half: Half,
    names: Path | None,
    *,
    choose: bool,
    simulate: bool,
    as_json: bool,
) -> None:
    """Judge name-server providers in one batch and print distance calls, provider and site tables.

    SOURCE: JSONL pages with `nameservers` and `truth` (spam or clean); home pages count.
    """
    problems = ProblemCount()
    if simulate:
        known = read_simulated(sources, providers, seed, half)
    else:
        known = known_providers(read_records(sources, None, names, problems), domain_of_url)
    if known:
        rows = try_thresholds(known) if choose else table_rows(evaluate_providers(known, setting))
        if shuffles:
            rows.append(measure_agreement(known, shuffles=shuffles, seed=seed))
        print_rows("nameserver", setting, rows, as_json=as_json)
    else:
        click.echo(
            "hss-stream: evaluating name servers: no home page has `nameservers` and `truth`", err=True
        )
    report_problems(problems)
    exit_with(0 if known else 1)


def read_simulated(sources: tuple[str, ...], farms: int, seed: int, half: Half) -> list[KnownProvider]:
    """Return simulated providers over the real pages of a folder."""
    if len(sources) != 1 or not (Path(sources[0]) / "pages-debian-docs").is_dir():
        raise click.UsageError("--simulate takes one folder that holds pages-debian-docs and pages-web")
    drawn = simulate_providers(read_pools(Path(sources[0]), half), seed=seed, farms=farms, hosters=farms)
    return [
        KnownProvider(provider.name, provider.sites, provider.spam, provider.is_spam, provider.case)
        for provider in drawn
    ]
