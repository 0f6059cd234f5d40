"""Pages a second placed in clusters by one worker: look up, decide, pin, apply, commit; no events."""

import gc
import time
from collections.abc import AsyncIterator, Iterator

import numpy as np

from hss_stream.store.open_store import make_store
from hss_stream.store.wire import pack
from tests.bench.measure import RUNS
from tests.bench.synthetic_store import NOISE, BenchStore, make_pages, run, sketch_values, zipf_templates

PAGES = 5_000
DATASKETCH_PAGES = 100
# Both indexes hold the templates and the same pages before the clock starts: ours keeps representatives,
# datasketch every page, which is what the comparison is about.
FILL_PAGES = 20_000
FILL_SEED = 99
CORPUS = "synthetic sketches, 40 % of slots replaced, Zipf sizes"


def rows(*, slow: bool) -> Iterator[dict[str, object]]:
    """Yield the rates with 10,000 clusters, and with 1,000,000 when there is time."""
    yield from run(_attach(10_000, peers=True))
    if slow:
        yield from run(_attach(1_000_000, peers=False))


def _datasketch(clusters: int) -> object:
    """Return a function that queries and inserts pages into datasketch's index of so many templates."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=35 / 128, num_perm=128)

    def minhash(template: int, page: int, noise: float) -> MinHash:
        values = sketch_values(np.array([template]), np.array([page]), noise)[0]
        return MinHash(num_perm=128, hashvalues=values, scheme="legacy")

    with index.insertion_session() as session:
        for number in range(clusters):
            session.insert(f"t{number}", minhash(number, number, 0.0))
        for number, template in enumerate(zipf_templates(FILL_PAGES, clusters, FILL_SEED)):
            session.insert(f"f{number}", minhash(int(template), number, NOISE))
    drawn = zipf_templates(DATASKETCH_PAGES * RUNS, clusters, 1)
    pages = [minhash(int(template), FILL_PAGES + number, NOISE) for number, template in enumerate(drawn)]
    state = {"next": 0}

    def attach() -> None:
        start = state["next"]
        state["next"] += DATASKETCH_PAGES
        for number in range(start, start + DATASKETCH_PAGES):
            index.query(pages[number])
            index.insert(f"p{number}", pages[number])

    return attach


async def _attach(clusters: int, *, peers: bool) -> AsyncIterator[dict[str, object]]:
    store = make_store("embedded://")
    await store.open()
    bench = BenchStore(store)
    await bench.add(np.arange(clusters, dtype=np.uint64), noise=0.0)
    await bench.add(zipf_templates(FILL_PAGES, clusters, FILL_SEED), domains=5000)
    attach = _datasketch(clusters) if peers else None
    # What was filled is not garbage: without this the collector walks it again and again.
    gc.freeze()
    best, share = {"ours": 1e9, "datasketch": 1e9, "empty script": 1e9}, 0.0
    [sha] = await store.wire.call("loading", pack(b"SCRIPT", b"LOAD", b"return 1"), 1)
    for seed in range(RUNS):
        pages = make_pages(zipf_templates(PAGES, clusters, seed), bench.next, domains=5000)
        server, start = await bench.server_seconds(), time.perf_counter()
        await bench.place_pages(pages)
        taken = time.perf_counter() - start
        if taken / PAGES < best["ours"]:
            best["ours"], share = taken / PAGES, (await bench.server_seconds() - server) / taken
        start = time.perf_counter()
        for _ in range(PAGES // 250):
            await store.wire.call("empty", pack(b"EVALSHA", sha, b"0") * 250, 250)
        best["empty script"] = min(best["empty script"], (time.perf_counter() - start) / PAGES)
        if attach is not None:
            start = time.perf_counter()
            attach()
            best["datasketch"] = min(best["datasketch"], (time.perf_counter() - start) / DATASKETCH_PAGES)
    await store.close()
    for name in ("datasketch", "empty script") if peers else ("empty script",):
        yield {
            "measure": "pages_per_second", "value": round(1 / best["ours"], 1), "baseline": name,
            "baseline_value": round(1 / best[name], 1), "ratio": round(best[name] / best["ours"], 3),
            "runs": RUNS, "corpus": CORPUS, "clusters": clusters, "server_share": round(share, 3),
        }  # fmt: skip
