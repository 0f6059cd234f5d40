"""Placing pages online against Procedure 2 in batch, on real pages.

`EVALUATION_DATA=… python -m tests.evaluation.online_clusters [caps|workers|mixed]` prints JSON lines:
`caps`: agreement with the batch result and bytes a page for several caps of representatives;
`workers`: one worker against three at once; `mixed`: how many other pages join documentation clusters.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from hss_stream.sources.records import open_source
from hss_stream.steps.events import Origin
from hss_stream.steps.place_page import PlacePages
from hss_stream.steps.scan_page import PageToPlace, ScannedPage, scan_to_place
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.store.open_store import make_store
from hss_stream.store.redis_store import RedisClusterStore
from hss_stream.store.server_facts import read_facts
from hss_stream.verdicts.cluster_id import from_text
from hss_stream.verdicts.cluster_rules import ClusterRules
from hss_stream.verdicts.style_match import sketch_rows
from tests.oracles.batch_clusters import adjusted_rand_index, batch_clusters

CAPS = (1, 4, 8, 16, 0)
SHUFFLES = 5
WORKERS = 3
AT_MS = 1_700_000_000_000


def scan_corpus(folder: Path) -> list[ScannedPage]:
    """Return the pages of a corpus that have a style; their offsets are numbers in this list."""
    records = [record for record in open_source(str(folder)) if record.kind == "page"]
    scanned = []
    for record in records:
        origin = Origin("evaluation", "pages", 0, len(scanned))
        page = scan_to_place(
            PageToPlace(
                origin, record.url, AT_MS, record.body, content_type=record.content_type, domain=record.domain
            )
        )
        if page.sketched.excluded is None:
            scanned.append(replace(page, scan=None))
    return scanned


def in_order(pages: list[ScannedPage], order: list[int], partition: int = 0) -> list[ScannedPage]:
    """Return pages in another order, with offsets that say so."""
    return [
        replace(
            pages[number],
            origin=Origin("evaluation", "pages", partition, offset),
            sketched=replace(pages[number].sketched, offset=offset),
        )
        for offset, number in enumerate(order)
    ]


async def place_all(store, pages: list[ScannedPage], batch: int = 64) -> list[int | None]:
    """Place pages; return where each went at first."""
    place = PlacePages(store, store.rules, events_of=lambda *_: ())
    found = []
    for start in range(0, len(pages), batch):
        placed = await place.place(pages[start : start + batch])
        found += [None if one.cluster is None else from_text(one.cluster)[1] for one in placed]
    return found


async def final_clusters(store, found: list[int | None]) -> list[int | None]:
    """Return the survivors of clusters."""
    into = {cluster: record.into async for cluster, record in store.list_clusters("s")}

    def survivor(cluster: int | None) -> int | None:
        while cluster is not None and into[cluster]:
            cluster = into[cluster]
        return cluster

    return [survivor(cluster) for cluster in found]


def orders(count: int, shuffles: int) -> Iterator[list[int]]:
    """Yield shuffled orders."""
    for seed in range(shuffles):
        yield np.random.default_rng(seed).permutation(count).tolist()


async def agreement(pages: list[ScannedPage], cap: int, shuffles: int, batch: list[int]) -> dict[str, float]:
    """Return the agreement of placing with a cap of representatives with the batch result."""
    indexes, representatives = [], []
    for order in orders(len(pages), shuffles):
        store = MemoryClusterStore(ClusterRules(representatives=cap))
        found = await final_clusters(store, await place_all(store, in_order(pages, order)))
        indexes.append(adjusted_rand_index(found, [batch[number] for number in order]))
        representatives.append(sum(len(state.representatives) for state in store.states) / len(pages))
    return {
        "cap": cap, "mean_index": round(float(np.mean(indexes)), 4), "least_index": round(min(indexes), 4),
        "representatives_per_page": round(float(np.mean(representatives)), 3),
    }  # fmt: skip


async def bytes_a_page(pages: list[ScannedPage], cap: int) -> float:
    """Return what a server takes for these pages, from INFO memory."""
    store = make_store("embedded://", ClusterRules(representatives=cap))
    await store.open()
    before = (await read_facts(store.wire)).used_bytes
    await place_all(store, in_order(pages, list(range(len(pages)))))
    number = await store.source_number("evaluation", "pages", 0)
    await store.trim(number, len(pages))
    taken = (await read_facts(store.wire)).used_bytes - before
    await store.close()
    return taken / len(pages)


async def concurrent(pages: list[ScannedPage], workers: int) -> tuple[float, int]:
    """Place pages with one worker and with several at once; return agreement and pages counted."""
    one = make_store("embedded://")
    await one.open()
    alone = await final_clusters(one, await place_all(one, in_order(pages, list(range(len(pages))))))
    many = make_store("embedded://")
    await many.open()
    others = [RedisClusterStore(many.wire.address, many.rules) for _ in range(workers)]
    parts = [list(range(part, len(pages), workers)) for part in range(workers)]
    found = await asyncio.gather(
        *(
            place_all(other, in_order(pages, part, k))
            for k, (other, part) in enumerate(zip(others, parts, strict=True))
        )
    )
    together: dict[int, int | None] = {}
    for part, some in zip(parts, found, strict=True):
        together.update(zip(part, await final_clusters(many, some), strict=True))
    counted = sum([record.pages async for _, record in many.list_clusters("s")])
    for store in (*others, many, one):
        await store.close()
    return adjusted_rand_index(alone, [together[number] for number in range(len(pages))]), counted


async def strangers(home: list[ScannedPage], others: list[ScannedPage]) -> int:
    """Return how many of the other pages join clusters that pages at home opened."""
    store = MemoryClusterStore()
    pages = in_order([*home, *others], list(range(len(home) + len(others))))
    found = await final_clusters(store, await place_all(store, pages))
    owned = set(found[: len(home)])
    return sum(cluster in owned for cluster in found[len(home) :])


async def rows(data: Path, what: str) -> AsyncIterator[dict[str, float]]:
    """Yield the figures asked for."""
    pages = scan_corpus(data / "pages-debian-docs")
    if what == "caps":
        batch = batch_clusters(sketch_rows(b"".join(page.sketched.sketch for page in pages)))
        for cap in CAPS:
            row = await agreement(pages, cap, SHUFFLES, batch)
            yield row | {"bytes_per_page": round(await bytes_a_page(pages, cap), 1)}
    elif what == "workers":
        index, counted = await concurrent(pages, WORKERS)
        yield {"workers": WORKERS, "index": round(index, 4), "pages": len(pages), "counted": counted}
    else:
        others = scan_corpus(data / "pages-web")
        joined = await strangers(pages, others)
        yield {"pages": len(others), "joined": joined, "share": round(joined / len(others), 5)}


async def main() -> None:
    """Print the figures asked for."""
    async for row in rows(Path(os.environ["EVALUATION_DATA"]), (sys.argv[1:] or ["caps"])[0]):
        print(json.dumps(row), flush=True)  # noqa: T201 - its purpose


if __name__ == "__main__":
    asyncio.run(main())
