"""What `replay` shows a person: the verdicts, the worst pages with their reasons, the clusters by rank."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import click

from hss_stream.commands.output import print_table, reasons_text
from hss_stream.steps.events import Event

SHOWN_CLUSTERS = 25
SHOWN_PAGES = 6
# Verdicts that somebody should look at, worst first.
FINDINGS = ("spam", "suspect")


class ReplayScreen:
    """Counts events as they pass and keeps the first findings; memory does not grow with the source."""

    def __init__(self) -> None:
        self._verdicts: Counter[str] = Counter()
        self._alerts: Counter[str] = Counter()
        self._found: dict[str, list[Mapping[str, Any]]] = {verdict: [] for verdict in FINDINGS}
        self._clusters: list[dict[str, Any]] = []
        self._alone: Counter[str] = Counter()

    def take(self, events: Iterable[Event]) -> None:
        """Count a bundle of events."""
        for event in events:
            body = event.body
            if body is None:
                continue
            if event.kind == "alert":
                self._alerts[body["subject"]] += 1
            elif event.kind == "attachment":
                self._verdicts[body["verdict"]] += 1
                found = self._found.get(body["verdict"])
                if found is not None and len(found) < SHOWN_PAGES:
                    found.append(body)

    def take_cluster(self, row: dict[str, Any]) -> None:
        """Take a cluster, in order of rank; clusters of a single page are only counted."""
        if row["pages"] < 2:
            self._alone[row["space"]] += 1
        elif len(self._clusters) < SHOWN_CLUSTERS:
            self._clusters.append(row)

    def show(self) -> None:
        """Print all of it."""
        if not self._verdicts:
            click.echo("No pages found.")
            return
        click.echo(f"Verdicts: {_told(self._verdicts)}. Alerts: {_told(self._alerts)}.")
        pages = [body for verdict in FINDINGS for body in self._found[verdict]][:SHOWN_PAGES]
        if pages:
            shown = [
                (page["verdict"], page["score"], page["url"], reasons_text(page["reasons"])) for page in pages
            ]
            print_table("Pages to look at; the first", ("verdict", "score ", "page", "because"), shown)
        columns = ("cluster", "pages ", "domains ", "similarity ", "class", "label", "first page")
        rows = [
            (row["cluster"], row["pages"], row["domains"], row["mean_similarity"], row["class"], row["label"],
             row["prototype"])
            for row in self._clusters
        ]  # fmt: skip
        alone = ", ".join(f"{count:,} {space}" for space, count in sorted(self._alone.items()))
        title = "Clusters of several pages by mean similarity x domains; the first"
        if rows:
            print_table(title, columns, rows)
        click.echo(f"Clusters of a single page: {alone or 'none'}.")


def _told(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.most_common()) or "none"
