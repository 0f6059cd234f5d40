"""Timing in turns: ours and the baseline alternate in one run, and the best of each counts.

The machine is shared, so an absolute time proves nothing; the ratio of two bests taken in turns does.
"""

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

RUNS = 5


def best_seconds(contestants: Mapping[str, Callable[[], object]], runs: int = RUNS) -> dict[str, float]:
    """Return the least time of each contestant over `runs` rounds in which each runs once."""
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(runs):
        for name, run in contestants.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


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
