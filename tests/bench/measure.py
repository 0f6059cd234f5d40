"""Timing in turns: ours and the baseline alternate in one run, and the best of each counts.

The machine is shared, so an absolute time proves nothing; the ratio of two bests taken in turns does.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

RUNS = 5
GROUPS = 12


def best_seconds(contestants: Mapping[str, Callable[[], object]], runs: int = RUNS) -> dict[str, float]:
    """Return the least time of each contestant over `runs` rounds in which each runs once."""
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(runs):
        for name, run in contestants.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def summed_best_seconds(
    contestants: Mapping[str, Sequence[Callable[[], object]]], runs: int = RUNS
) -> dict[str, float]:
    """Return the sum of the least times of each contestant's pieces, taken in turns piece by piece.

    A pause of the machine then spoils one run of a piece of some milliseconds, not a whole round.
    """
    totals = dict.fromkeys(contestants, 0.0)
    for place in range(max(map(len, contestants.values()))):
        pieces = {name: runners[place] for name, runners in contestants.items() if place < len(runners)}
        for name, seconds in best_seconds(pieces, runs).items():
            totals[name] += seconds
    return totals


def by_groups(work: Callable[[list[bytes]], object], pages: list[bytes]) -> list[Callable[[], object]]:
    """Return the same work on each of a few groups of pages, to be measured piece by piece."""
    size = max(1, len(pages) // GROUPS)
    return [partial(work, pages[at : at + size]) for at in range(0, len(pages), size)]


def evaluation_corpus(name: str) -> Path | None:
    """Return the folder of a real corpus under EVALUATION_DATA, or None when it is not there."""
    root = os.environ.get("EVALUATION_DATA")
    folder = Path(root) / name if root else None
    return folder if folder is not None and folder.is_dir() else None


def rate_row(
    measure: str, value: float, baseline: str, baseline_value: float, **more: object
) -> dict[str, object]:
    """Return one row of the output: a rate, its baseline's, and their ratio (above 1 is better for us)."""
    return {
        "measure": measure,
        "value": round(value, 3),
        "baseline": baseline,
        "baseline_value": round(baseline_value, 3),
        "ratio": round(value / baseline_value, 3),
        "runs": RUNS,
        **more,
    }
