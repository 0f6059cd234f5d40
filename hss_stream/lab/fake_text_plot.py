"""A picture of an evaluation: area under the curve by generator, one line a measure or length."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure


def plot_rows(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the rows that have an area under the curve; the ending of the path says the format."""
    drawn = [row for row in rows if row.get("auc") is not None]
    cases = list(dict.fromkeys(row["case"] for row in drawn))
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.add_subplot()
    series: dict[str, dict[str, float]] = {}
    for row in drawn:
        facts = (row.get("genre"), row.get("measure"), f"table {row['table']}" if "table" in row else None)
        label = ", ".join([*(str(fact) for fact in facts if fact), f"{row['words']} words"])
        series.setdefault(label, {})[row["case"]] = row["auc"]
    for label, points in series.items():
        axes.plot(range(len(cases)), [points.get(case, math.nan) for case in cases], marker="o", label=label)
    axes.set_xticks(range(len(cases)), cases)
    axes.set_ylim(0.4, 1.02)
    axes.set_ylabel("area under the curve")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="x-small", ncols=2)
    figure.savefig(path)
