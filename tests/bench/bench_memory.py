"""Bytes the store takes in the server, from INFO memory: a cluster, its index, a page, a domain."""

import tracemalloc
from collections.abc import AsyncIterator, Iterator

import numpy as np

from hss_stream.store.open_store import make_store
from tests.bench.synthetic_store import BenchStore, run, sketch_values

CORPUS = "synthetic sketches"
PAGES_A_CLUSTER = 116


def rows(*, slow: bool) -> Iterator[dict[str, object]]:
    """Yield the cost of clusters of one page, and of clusters of 116 pages that drift."""
    peer = _datasketch_bytes(2_000)
    yield from run(_alone(1_000_000 if slow else 20_000, peer))
    yield from run(_crowded(4_000 if slow else 300, peer))


def _datasketch_bytes(pages: int) -> float:
    from datasketch import MinHash, MinHashLSH

    values = sketch_values(np.arange(pages), np.arange(pages), 0.0)
    tracemalloc.start()
    index = MinHashLSH(threshold=35 / 128, num_perm=128)
    for number in range(pages):
        index.insert(
            f"https://site{number}.example/{number}",
            MinHash(num_perm=128, hashvalues=values[number], scheme="legacy"),
        )
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return taken / pages


def _row(taken: float, clusters: int, pages: int, representatives: int, peer: float, **more: object) -> dict:
    return {
        "measure": "bytes_per_page", "value": round(taken / pages, 1), "baseline": "datasketch",
        "baseline_value": round(peer, 1), "ratio": round(peer * pages / taken, 2), "runs": 1,
        "corpus": CORPUS,
        "clusters": clusters, "bytes_per_cluster": round(taken / clusters, 1),
        "bytes_per_page": round(taken / pages, 1), "representatives": representatives, **more,
    }  # fmt: skip


async def _alone(clusters: int, peer: float) -> AsyncIterator[dict[str, object]]:
    store = make_store("embedded://")
    await store.open()
    bench = BenchStore(store)
    before = await bench.memory()
    await bench.add(np.arange(clusters, dtype=np.uint64), noise=0.0)
    after = await bench.memory()
    await bench.remove("d")
    await bench.remove("v")
    no_domains = await bench.memory()
    await bench.remove("b")
    no_index = await bench.memory()
    await store.close()
    yield _row(
        no_domains - before, clusters, clusters, clusters, peer,
        index_bytes_per_cluster=round((no_domains - no_index) / clusters, 1),
        domain_bytes=round((after - no_domains) / clusters, 1),
    )  # fmt: skip


async def _crowded(clusters: int, peer: float) -> AsyncIterator[dict[str, object]]:
    store = make_store("embedded://")
    await store.open()
    bench = BenchStore(store)
    before = await bench.memory()
    pages = clusters * PAGES_A_CLUSTER
    templates = np.random.default_rng(1).permutation(np.arange(pages, dtype=np.uint64) % clusters)
    await bench.add(templates, domains=clusters)
    await bench.remove("d")
    await bench.remove("v")
    taken = await bench.memory() - before
    found = representatives = 0
    async for _, record in store.list_clusters("s"):
        found += not record.into
        representatives += 1 + len(record.further)
    await store.close()
    yield _row(taken, found, pages, representatives, peer)
