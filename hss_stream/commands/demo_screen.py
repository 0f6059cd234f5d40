"""The demo's last screen: what a stranger sees of a crawl that went through the stream."""

from collections import Counter

import click

from hss_stream.commands.demo_editor import Spread
from hss_stream.commands.demo_stream import DemoResult
from hss_stream.commands.output import print_table, reasons_text
from hss_stream.lab.judge_crawl import Tally
from hss_stream.verdicts.cluster_class import rank

SHOWN_CLUSTERS = 10
SHOWN_ALERTS = 2
SHOWN_PROVIDERS = 8
# What a share of pages called spam means, by truth.
_WORDS = {"spam": "found", "clean": "false"}
SUBJECTS = ("cluster", "host", "nameserver", "mail", "page")


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
    rows = [
        (subject, alert["verdict"], alert["score"], alert["subject_id"], reasons_text(alert["reasons"]))
        for subject in SUBJECTS
        for alert in [one for one in result.alerts if one["subject"] == subject][:SHOWN_ALERTS]
    ]
    columns = ("subject", "verdict", "score ", "which", "because")
    print_table(f"Alerts: {told or 'none'}; some of them", columns, rows)


def show_providers(result: DemoResult) -> None:
    """Print what is said of name-server providers, spam first, then the largest."""
    providers = sorted(result.providers.values(), key=lambda one: (one["state"] != "spam", -one["sites"]))
    if not providers:
        return
    rows = [
        (
            one["provider"],
            one["state"],
            one["sites"],
            one["average_radius"],
            reasons_text(one["reasons"] or []),
        )
        for one in providers[:SHOWN_PROVIDERS]
    ]
    title = f"{len(providers)} name-server providers; the first"
    print_table(title, ("provider", "state", "sites ", "radius ", "because"), rows)


def show_letters(result: DemoResult) -> None:
    """Say what could not be read."""
    counts = Counter(letter["hss-reason"] for letter in result.letters)
    told = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
    click.echo(f"Dead letters: {told or 'none'}.\n")


def show_truth(title: str, arrival: Tally, now: Tally) -> None:
    """Print what was found and missed, by kind of page, against the generated truth."""
    later = {kind: found for kind, _, _, found, _ in now.rows()}
    rows = [
        (kind, truth, pages, found, later[kind], f"{_WORDS[truth]} {later[kind] / pages:.0%}")
        for kind, truth, pages, found, _ in sorted(arrival.rows(), key=lambda row: (row[1] != "spam", row[0]))
    ]
    figures = (
        f"precision {arrival.precision:.3f} and recall {arrival.recall:.3f} on arrival, "
        f"{now.precision:.3f} and {now.recall:.3f} with the alerts since"
    )
    columns = ("kind of page", "truth", "pages ", "spam on arrival ", "spam by now ", "")
    print_table(f"{title}: {figures}", columns, rows)


def show_spread(spread: Spread, unit: str) -> None:
    """Say what an editor's one word did."""
    click.echo(
        f"An editor says of {spread.cluster} ({spread.what}, {spread.missed:,} {unit} so far): spam. "
        f"Of its {spread.later:,} {unit} that came later, {spread.found:,} were called spam on arrival.\n"
    )
