"""Pages a second placed in clusters by one worker: look up, decide, pin, apply, commit; no events."""

import gc
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import NamedTuple

import numpy as np

from hss_stream.store.embedded import EmbeddedServer
from hss_stream.store.open_store import make_store
from hss_stream.store.wire import pack
from tests.bench.measure import RUNS
from tests.bench.synthetic_store import NOISE, BenchStore, make_pages, run, sketch_values, zipf_templates

PAGES = 5_000
DATASKETCH_PAGES = 200
# Both indexes hold the templates before the clock starts; ours also the pages that became representatives
# of them since. Datasketch would index every page, and is the slower for it: it is spared that.
FILL_PAGES = 20_000
FILL_SEED = 99
CORPUS = "synthetic sketches, 40 % of slots replaced, Zipf sizes"


def rows(*, slow: bool) -> Iterator[dict[str, object]]:
    """Yield the rates with 10,000 clusters, and with 1,000,000 when there is time, measured in turns."""
    yield from run(_attach((10_000, 1_000_000) if slow else (10_000,)))


def _datasketch(clusters: int, socket: str) -> Callable[[], None]:
    """Return a function that queries and inserts pages into datasketch's index of so many templates.

    Its storage is Redis, and its 20 bands of one row are the paper's 20 probes.
    """
    from datasketch import MinHash, MinHashLSH

    storage = {"type": "redis", "basename": b"bench", "redis": {"unix_socket_path": socket}}
    index = MinHashLSH(num_perm=128, params=(20, 1), storage_config=storage)

    def minhashes(templates: np.ndarray, pages: np.ndarray, noise: float) -> list[MinHash]:
        values = sketch_values(templates, pages, noise)
        return [MinHash(num_perm=128, hashvalues=row, scheme="legacy") for row in values]

    numbers = np.arange(clusters)
    with index.insertion_session() as session:
        for number, minhash in enumerate(minhashes(numbers, numbers, 0.0)):
            session.insert(f"t{number}", minhash)
    count = DATASKETCH_PAGES * RUNS
    pages = minhashes(zipf_templates(count, clusters, 1), clusters + np.arange(count), NOISE)
    state = {"next": 0}

    def attach() -> None:
        start = state["next"]
        state["next"] += DATASKETCH_PAGES
        for number in range(start, start + DATASKETCH_PAGES):
            index.query(pages[number])
            index.insert(f"p{number}", pages[number])

    return attach


async def fill(clusters: int) -> BenchStore:
    """Return a store with so many clusters, some of which have further representatives."""
    store = make_store("embedded://")
    await store.open()
    bench = BenchStore(store)
    await bench.add(np.arange(clusters, dtype=np.uint64), noise=0.0)
    await bench.add(zipf_templates(FILL_PAGES, clusters, FILL_SEED), domains=5000)
    return bench


class Best(NamedTuple):
    """The best run: seconds a page, and which shares of it server and client computed."""

    seconds: float = float("inf")
    server: float = 0.0
    client: float = 0.0


async def attach_once(bench: BenchStore, clusters: int, seed: int) -> Best:
    """Place pages; return what it took."""
    pages = make_pages(zipf_templates(PAGES, clusters, seed), bench.next, domains=5000)
    server, own, start = await bench.server_seconds(), time.process_time(), time.perf_counter()
    await bench.place_pages(pages)
    taken, own = time.perf_counter() - start, time.process_time() - own
    return Best(taken / PAGES, (await bench.server_seconds() - server) / taken, own / taken)


async def empty_scripts(bench: BenchStore) -> float:
    """Return the seconds an empty script takes."""
    wire = bench.store.wire
    [sha] = await wire.call("loading", pack(b"SCRIPT", b"LOAD", b"return 1"), 1)
    start = time.perf_counter()
    for _ in range(PAGES // 250):
        await wire.call("empty", pack(b"EVALSHA", sha, b"0") * 250, 250)
    return (time.perf_counter() - start) / PAGES


async def _attach(sizes: tuple[int, ...]) -> AsyncIterator[dict[str, object]]:
    benches = {clusters: await fill(clusters) for clusters in sizes}
    peer = EmbeddedServer()
    attach = _datasketch(sizes[0], peer.start())
    best = dict.fromkeys(sizes, Best())
    empty = datasketch = float("inf")
    # What was filled is not garbage: without this the collector walks it again and again.
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    for seed in range(RUNS):
        for clusters, bench in benches.items():
            best[clusters] = min(best[clusters], await attach_once(bench, clusters, seed))
            empty = min(empty, await empty_scripts(bench))
        start = time.perf_counter()
        attach()
        datasketch = min(datasketch, (time.perf_counter() - start) / DATASKETCH_PAGES)
    for bench in benches.values():
        await bench.store.close()
    peer.stop()
    yield _row(sizes[0], best[sizes[0]], "datasketch", datasketch)
    for clusters, one in best.items():
        yield _row(clusters, one, "empty script", empty)


def _row(clusters: int, best: Best, baseline: str, seconds: float) -> dict[str, object]:
    return {
        "measure": "pages_per_second", "value": round(1 / best.seconds, 1), "baseline": baseline,
        "baseline_value": round(1 / seconds, 1), "ratio": round(seconds / best.seconds, 3),
        "runs": RUNS, "corpus": CORPUS, "clusters": clusters, "server_share": round(best.server, 3),
        "client_share": round(best.client, 3),
    }  # fmt: skip
