"""Which thresholds tell farms from hosters best: every pair of a grid over the same clusters.

Clustering takes long and does not depend on the thresholds, so each provider is clustered once.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Any

from hss_stream.lab.nameserver_evaluation import Confusion, KnownProvider
from hss_stream.steps.judge_sites import judge_sites
from hss_stream.verdicts.nameserver import DEFAULT, judge_provider

DISTANCES = (0.35, 0.40, 0.45, 0.50, 0.55, 0.60)
UNCONTAINED = (0.20, 0.24, 0.28, 0.32, 0.36, 0.40, 0.44)


def try_thresholds(providers: Iterable[KnownProvider]) -> list[dict[str, Any]]:
    """Return precision, recall and F over providers for each pair of thresholds of a cluster, best first."""
    clustered = [(provider, judge_sites(provider.sites).clusters) for provider in providers]
    rows = []
    for distance, uncontained in product(DISTANCES, UNCONTAINED):
        rules = replace(DEFAULT, most_distance=distance, most_uncontained=uncontained)
        answers = Confusion()
        for provider, shapes in clustered:
            state = judge_provider(shapes, rules=rules).state
            if state != "too_few":
                answers.add(truth=provider.is_spam, answer=state == "spam")
        rows.append({"case": f"D below {distance:.2f}, C below {uncontained:.2f}", **answers.to_row()})
    return sorted(rows, key=lambda row: -(row["f"] or 0.0))
