"""Name-server verdicts: distance calls a second by the cascades and by D alone, and what a provider costs."""

import difflib
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np

from hss_stream.signals.k_center import cluster_k_center
from hss_stream.signals.site_sample import Home, SiteSample
from hss_stream.signals.tag_structure import StructureTable, TagStructure
from tests.bench.measure import best_seconds, rate_row
from tests.bench.structures import load_structures

SITES = 400
SLOW_PAIRS = 25


def online(structures: list[TagStructure]) -> SiteSample:
    """Return a provider's sample after all sites arrived."""
    sample = SiteSample()
    for number, structure in enumerate(structures):
        sample = sample.with_site(f"site-{number}.example", 0.0, Home(structure))
    return sample


def count_calls(table: StructureTable, *, lossless: bool) -> Counter[str]:
    """Return the distance calls that clustering a provider takes, by the last function needed."""
    return cluster_k_center(table, lossless=lossless).calls


def rows(*, slow: bool) -> Iterator[dict[str, object]]:
    """Yield calls a second by the cascades and by D alone against difflib, then the cost of a provider."""
    del slow
    for corpus in ("pages-web", "pages-debian-docs"):
        structures, name = load_structures(corpus)
        sites = structures[:SITES]
        table = StructureTable(sites)
        chance = np.random.default_rng(3)
        pairs = [(sites[a].tags, sites[b].tags) for a, b in chance.integers(0, len(sites), (SLOW_PAIRS, 2))]
        queries = [
            (int(page), chance.integers(0, len(sites), 100)) for page in chance.integers(0, len(sites), 15)
        ]
        seconds = best_seconds(
            {
                "cascade": lambda table=table: count_calls(table, lossless=False),
                "lossless": lambda table=table: count_calls(table, lossless=True),
                "exact": lambda table=table, queries=queries: [table.tag_distances(*one) for one in queries],
                "difflib": lambda pairs=pairs: [
                    difflib.SequenceMatcher(None, a, b, autojunk=False).ratio() for a, b in pairs
                ],
            }
        )
        calls = {
            "cascade": count_calls(table, lossless=False).total(),
            "lossless": count_calls(table, lossless=True).total(),
            "exact": 15 * 100,
        }
        baseline = SLOW_PAIRS / seconds["difflib"]
        for key, count in calls.items():
            measure = f"{key}_calls_per_second"
            yield rate_row(measure, count / seconds[key], "difflib", baseline, corpus=name)
        yield provider_row(structures, name)
        if name == "generated":
            return


def provider_row(structures: list[TagStructure], corpus: str) -> dict[str, object]:
    """Return sites a second into a provider's sample, and its size."""
    start = time.perf_counter()
    sample = online(structures)
    spent = time.perf_counter() - start
    return {
        "measure": "sites_per_second",
        "value": round(len(structures) / spent, 1),
        "baseline": None,
        "baseline_value": None,
        "ratio": None,
        "runs": 1,
        "corpus": corpus,
        "bytes_per_provider": len(sample.to_bytes()),
    }
