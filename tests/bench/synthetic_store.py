"""Stores filled with synthetic templates, for benches: sketches made in bulk, no HTML, no events.

A page of a template has 40 % of its slots replaced, and pages come from four partitions, as a worker's do.
"""

import asyncio
from collections.abc import Iterator

import numpy as np
import uvloop

from hss_stream.signals.probes import PROBE_SLOTS
from hss_stream.steps.candidates import SketchedPage
from hss_stream.steps.events import Origin
from hss_stream.steps.place_page import PlacePages, SourceName
from hss_stream.steps.scan_page import ScannedPage
from hss_stream.store.layout import domain_hash, stored_url
from hss_stream.store.redis_store import RedisClusterStore
from hss_stream.store.wire import pack

NOISE = 0.4
AT = 1_700_000_000
PARTITIONS = 4
SOURCES = [SourceName("bench", "pages", partition) for partition in range(PARTITIONS)]


def mixed(values: np.ndarray) -> np.ndarray:
    """Return SplitMix64 of each value."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def sketch_values(templates: np.ndarray, pages: np.ndarray, noise: float) -> np.ndarray:
    """Return 128 words for each page of a template, some replaced by the page's own."""
    slots = np.arange(128, dtype=np.uint64)
    values = mixed(templates.astype(np.uint64)[:, None] * np.uint64(128) + slots)
    own = mixed((pages.astype(np.uint64)[:, None] + np.uint64(1 << 40)) * np.uint64(128) + slots)
    replaced = (own & np.uint64(0xFFFF)) < np.uint64(int(noise * 65536))
    return np.where(replaced, own, values) >> np.uint64(32) | np.uint64(1)


def make_pages(
    templates: np.ndarray, first: int, noise: float = NOISE, domains: int | None = None
) -> list[ScannedPage]:
    """Return pages of these templates with offsets from `first` on; each its own domain unless told."""
    values = sketch_values(templates, np.arange(first, first + len(templates)), noise).astype(np.uint32)
    low = (values & np.uint32(0xFFFF)).astype(">u2")
    words = values[:, PROBE_SLOTS]
    pages = []
    for row in range(len(templates)):
        offset = first + row
        name = f"site{offset if domains is None else offset % domains}.example"
        url = f"https://{name}/page/{offset}"
        sketched = SketchedPage(offset, AT, domain_hash(name), low[row].tobytes(), words[row], text=b"t" * 16)
        origin = Origin("bench", "pages", row % PARTITIONS, offset)
        pages.append(ScannedPage(origin, url, AT * 1000, name, stored_url(url), sketched))
    return pages


class BenchStore:
    """A store on an embedded server, and a worker that makes no events."""

    def __init__(self, store: RedisClusterStore) -> None:
        self.store = store
        self.place = PlacePages(store, store.rules, events_of=lambda *_: ())
        self.next = 0

    async def add(self, templates: np.ndarray, noise: float = NOISE, domains: int | None = None) -> None:
        """Place pages of these templates."""
        for some in np.array_split(templates, max(1, len(templates) // 4096)):
            await self.place_pages(make_pages(some, self.next, noise, domains))

    async def place_pages(self, pages: list[ScannedPage]) -> None:
        """Place pages and commit them."""
        await self.place.place(pages)
        self.next = pages[-1].origin.offset + 1
        await asyncio.gather(*(self.place.trim(source, self.next) for source in SOURCES))

    async def info(self, section: bytes, field: str) -> float:
        """Return one figure of the server's INFO."""
        [answer] = await self.store.wire.call("asking for INFO", pack(b"INFO", section), 1)
        lines = dict(line.split(":", 1) for line in answer.decode().split("\r\n") if ":" in line)
        return float(lines[field])

    async def server_seconds(self) -> float:
        """Return the time the server has computed."""
        return await self.info(b"cpu", "used_cpu_user") + await self.info(b"cpu", "used_cpu_sys")

    async def memory(self) -> float:
        """Return the bytes the server's data take."""
        return await self.info(b"memory", "used_memory")

    async def remove(self, letter: str) -> None:
        """Remove everything of one letter, to see what it cost."""
        cursor = b"0"
        pattern = self.store.keys.pattern("s").replace(b"s1????????", letter.encode() + b"1*")
        while True:
            command = pack(b"SCAN", cursor, b"MATCH", pattern, b"COUNT", b"20000")
            [(cursor, keys)] = await self.store.wire.call("scanning", command, 1)
            if keys:
                await self.store.wire.call("removing", pack(b"DEL", *keys), 1)
            if cursor == b"0":
                return


def zipf_templates(count: int, clusters: int, seed: int) -> np.ndarray:
    """Return templates drawn with falling frequency."""
    weights = np.cumsum(1 / np.arange(1, clusters + 1))
    return np.searchsorted(weights / weights[-1], np.random.default_rng(seed).random(count)).astype(np.uint64)


def run(main: object) -> Iterator[dict[str, object]]:
    """Yield what an async generator yields."""
    loop = uvloop.new_event_loop()
    try:
        while True:
            try:
                yield loop.run_until_complete(anext(main))
            except StopAsyncIteration:
                return
    finally:
        loop.close()
