"""Classes of clusters on a generated crawl: which were called what.

`python -m tests.evaluation.cluster_classes [--half report] [--pages 6000] [--seeds 4]` prints the confusion
table as JSON lines. Limits are chosen on the half `tune`, which shares no template with `report`.
"""

import argparse
import asyncio
import json
from collections import Counter, defaultdict
from itertools import islice

from hss_stream.lab.crawl import generate_crawl
from hss_stream.lab.judge_crawl import to_place
from hss_stream.steps.place_page import PlacePages
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.verdicts.cluster_class import CLASS_NAMES
from hss_stream.verdicts.cluster_id import from_text

BATCH_PAGES = 256


async def class_table(half: str, seed: int, pages: int) -> Counter[tuple[str, str]]:
    """Return how many clusters of each true class (that of most of their pages) got which class."""
    store = MemoryClusterStore()
    place = PlacePages(store, events_of=lambda *_: ())
    crawl = enumerate(generate_crawl(seed=seed, pages=pages, half=half))
    truths: defaultdict[int, Counter[str | None]] = defaultdict(Counter)
    while batch := list(islice(crawl, BATCH_PAGES)):
        placements = await place([to_place(page, offset) for offset, page in batch])
        for (_, page), placement in zip(batch, placements, strict=True):
            if placement.cluster is not None:
                truths[from_text(placement.cluster)[1]][page.truth_class] += 1
    records = {cluster: record async for cluster, record in store.list_clusters("s")}
    for cluster in sorted(truths, reverse=True):
        if records[cluster].into:
            truths[records[cluster].into] += truths.pop(cluster)
    table: Counter[tuple[str, str]] = Counter()
    for cluster, counts in truths.items():
        [(truth, _)] = counts.most_common(1)
        if truth is not None:
            table[truth, CLASS_NAMES[records[cluster].kind]] += 1
    return table


def f_of_class(table: Counter[tuple[str, str]], name: str) -> float:
    """Return the F measure of one class."""
    right = table[name, name]
    called = sum(count for (_, found), count in table.items() if found == name)
    true = sum(count for (truth, _), count in table.items() if truth == name)
    return 2 * right / (called + true) if called + true else 1.0


def macro_f(table: Counter[tuple[str, str]]) -> float:
    """Return the mean F measure of the five classes."""
    return sum(f_of_class(table, name) for name in CLASS_NAMES) / len(CLASS_NAMES)


async def all_tables(half: str, seeds: int, pages: int) -> Counter[tuple[str, str]]:
    """Return the table of several crawls together."""
    table: Counter[tuple[str, str]] = Counter()
    for seed in range(1, seeds + 1):
        table += await class_table(half, seed, pages)
    return table


def main() -> None:
    """Print the table and the measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["tune", "report"], default="report")
    parser.add_argument("--pages", type=int, default=6000)
    parser.add_argument("--seeds", type=int, default=4)
    options = parser.parse_args()
    table = asyncio.run(all_tables(options.half, options.seeds, options.pages))
    for truth in CLASS_NAMES:
        row = {found: table[truth, found] for found in CLASS_NAMES}
        print(json.dumps({"truth": truth, **row, "f": round(f_of_class(table, truth), 3)}))  # noqa: T201 - its purpose
    print(json.dumps({"half": options.half, "macro_f": round(macro_f(table), 3)}))  # noqa: T201 - its purpose


if __name__ == "__main__":
    main()
