"""Pages a second placed in clusters by one worker: look up, decide, pin, apply, commit; no events."""

import gc
import time
from collections.abc import AsyncIterator, Callable, Iterator

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
    """Yield the rates with 10,000 clusters, and with 1,000,000 when there is time."""
    yield from run(_attach(10_000, peers=True))
    if slow:
        yield from run(_attach(1_000_000, peers=False))


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


async def _attach(clusters: int, *, peers: bool) -> AsyncIterator[dict[str, object]]:
    store, peer = make_store("embedded://"), EmbeddedServer() if peers else None
    await store.open()
    bench = BenchStore(store)
    await bench.add(np.arange(clusters, dtype=np.uint64), noise=0.0)
    await bench.add(zipf_templates(FILL_PAGES, clusters, FILL_SEED), domains=5000)
    attach = None if peer is None else _datasketch(clusters, peer.start())
    # What was filled is not garbage: without this the collector walks it again and again.
    gc.freeze()
    best, share, client = {"ours": 1e9, "datasketch": 1e9, "empty script": 1e9}, 0.0, 0.0
    [sha] = await store.wire.call("loading", pack(b"SCRIPT", b"LOAD", b"return 1"), 1)
    for seed in range(RUNS):
        pages = make_pages(zipf_templates(PAGES, clusters, seed), bench.next, domains=5000)
        server, own, start = await bench.server_seconds(), time.process_time(), time.perf_counter()
        await bench.place_pages(pages)
        taken, own = time.perf_counter() - start, time.process_time() - own
        if taken / PAGES < best["ours"]:
            best["ours"], client = taken / PAGES, own / taken
            share = (await bench.server_seconds() - server) / taken
        start = time.perf_counter()
        for _ in range(PAGES // 250):
            await store.wire.call("empty", pack(b"EVALSHA", sha, b"0") * 250, 250)
        best["empty script"] = min(best["empty script"], (time.perf_counter() - start) / PAGES)
        if attach is not None:
            start = time.perf_counter()
            attach()
            best["datasketch"] = min(best["datasketch"], (time.perf_counter() - start) / DATASKETCH_PAGES)
    await store.close()
    if peer is not None:
        peer.stop()
    for name in ("datasketch", "empty script") if peers else ("empty script",):
        yield {
            "measure": "pages_per_second", "value": round(1 / best["ours"], 1), "baseline": name,
            "baseline_value": round(1 / best[name], 1), "ratio": round(best[name] / best["ours"], 3),
            "runs": RUNS, "corpus": CORPUS, "clusters": clusters, "server_share": round(share, 3),
            "client_share": round(client, 3),
        }  # fmt: skip
