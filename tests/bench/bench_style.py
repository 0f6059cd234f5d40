"""Style sketches a second: against deleting the words alone, and against MinHash over the same grams."""

import threading
from collections.abc import Callable, Iterator

import numpy as np
from datasketch import MinHash
from numba import njit

from hss_stream.signals.style_grams import noise_grams
from hss_stream.signals.style_sketch import IS_NOISE, StyleSketcher
from tests.bench.corpora import load_pages
from tests.bench.measure import best_seconds, by_groups, rate_row, summed_best_seconds

WORDS = bytes(np.flatnonzero(IS_NOISE == 0).tolist())
SPINS = 60_000_000


def rows(*, slow: bool) -> Iterator[dict[str, object]]:
    """Yield the kernel against translate and datasketch, and what a second thread gains."""
    pages, corpus = load_pages("pages-debian-docs", every=1 if slow else 8)
    megabytes = sum(map(len, pages)) / 1e6
    best = summed_best_seconds({
        "ours": by_groups(sketch_all, pages),
        "translate": by_groups(delete_words, pages),
    })  # fmt: skip
    rate = megabytes / best["ours"]
    common = {"format": 1, "threads": 1, "corpus": corpus}
    yield rate_row("megabytes_per_second", rate, "bytes.translate", megabytes / best["translate"], **common)
    few = pages[:: max(1, len(pages) // 8)][:8]
    size = sum(map(len, few)) / 1e6
    best = summed_best_seconds({"ours": by_groups(sketch_all, few), "datasketch": by_groups(hash_all, few)})
    yield rate_row(
        "megabytes_per_second", size / best["ours"], "datasketch", size / best["datasketch"], **common
    )
    yield from thread_rows(pages, corpus)


def thread_rows(pages: list[bytes], corpus: str) -> Iterator[dict[str, object]]:
    """Yield how much two threads gain, against what an empty loop without the GIL gains."""
    spin(1)
    work = pages * max(1, int(60e6 / sum(map(len, pages))))
    best = best_seconds({
        "one": lambda: sketch_all(work + work),
        "two": lambda: in_threads(lambda: sketch_all(work)),
        "empty one": lambda: spin(2 * SPINS),
        "empty two": lambda: in_threads(lambda: spin(SPINS)),
    })  # fmt: skip
    gain, possible = best["one"] / best["two"], best["empty one"] / best["empty two"]
    yield rate_row("gain_of_second_thread", gain, "empty loop", possible, format=1, threads=2, corpus=corpus)


def sketch_all(pages: list[bytes]) -> None:
    """Sketch every page."""
    sketcher = StyleSketcher()
    for page in pages:
        sketcher.update(page)
        sketcher.finish()


def delete_words(pages: list[bytes]) -> None:
    """Delete what is no noise, and nothing more."""
    for page in pages:
        page.translate(None, WORDS)


def hash_all(pages: list[bytes]) -> None:
    """Make a MinHash of 128 values over the same grams, hashed already."""
    for page in pages:
        sketch = MinHash(num_perm=128, hashfunc=lambda gram: int(gram) & 0xFFFFFFFF)
        sketch.update_batch(noise_grams(page.translate(None, WORDS)).tolist())


def in_threads(work: Callable[[], object]) -> None:
    """Do the same work in two threads at once."""
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@njit(nogil=True)
def spin(rounds):
    """Count without memory and without the GIL."""
    value = np.uint64(1)
    for _ in range(rounds):
        value = value * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return value
