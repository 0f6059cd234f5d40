"""Place pages in style clusters: raw pages in, placements and their events out.

Reads and writes the store through four acts (look up, decide, pin, apply). Independent of Kafka: the
caller says where each page came from, delivers the pages of a source in rising offset order, and commits
an offset only after the events of its placement are out. Delivered again, a page changes nothing and
gives the same events.

    place = PlacePages(store)
    fence = await place.load_pins(SourceName("hss", "hss.pages", 3))     # when a partition is assigned
    placements = await place(pages)                                      # any number, several sources
    await place.trim(SourceName("hss", "hss.pages", 3), committed)       # committed = next offset to read
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from hss_stream.signals.probes import PROBE_SLOTS
from hss_stream.steps.apply_pins import Applied, AppliedPage, apply_pages
from hss_stream.steps.candidates import KeptRepresentatives, look_up
from hss_stream.steps.events import Event, Origin
from hss_stream.steps.page_events import page_events
from hss_stream.steps.pins import PinnedPage, pack_pins, unpack_pins
from hss_stream.steps.read_signals import ReadSignals
from hss_stream.steps.scan_page import PageToPlace, ScannedPage, scan_to_place
from hss_stream.store.cluster_store import ClusterStore, Pins
from hss_stream.store.records import RepresentativeRecord
from hss_stream.verdicts.cluster_id import STYLE, to_text
from hss_stream.verdicts.cluster_rules import ClusterRules
from hss_stream.verdicts.placing import OUTCOMES, decide_batch

# More pages a round trip cost latency, fewer cost calls; see the bench `attach`.
BATCH_PAGES = 256
LEAST_BATCH_PAGES = 16


class SourceName(NamedTuple):
    """A partition of a topic as one consumer group reads it; `incarnation` tells a recreated topic apart."""

    group: str
    topic: str
    partition: int
    incarnation: str = ""


@dataclass(frozen=True)
class Placement:
    """What became of a page. `skipped`: it was committed long ago, so there is nothing to send.

    `pinned` and `applied` are what its events are made of, for steps that say more about it.
    """

    origin: Origin
    outcome: str
    cluster: str | None = None
    events: tuple[Event, ...] = ()
    pinned: PinnedPage | None = None
    applied: Applied | None = None
    text_cluster: str | None = None

    @property
    def is_skipped(self) -> bool:
        """Whether the page had been placed and committed before."""
        return self.outcome == "skipped"


@dataclass
class SourceState:
    """What is known of a source: its number and its pins."""

    number: int
    fence: int = -1
    batch: int = BATCH_PAGES
    pinned: dict[int, PinnedPage] = field(default_factory=dict)

    def take(self, pins: Pins) -> None:
        """Take over what the store has pinned."""
        self.fence = pins.fence
        self.pinned = {page.decision.offset: page for block in pins.blocks for page in unpack_pins(block)}


EventsOf = Callable[[ScannedPage, PinnedPage, Applied], Iterable[Event]]


class PlacePages:
    """The step; one for a worker and space. Not to be called twice at once for the same source.

    `events_of` makes the events of a page; `read_signals` reads its text while it is scanned.
    """

    def __init__(
        self,
        store: ClusterStore,
        rules: ClusterRules | None = None,
        executor: Executor | None = None,
        space: str = STYLE,
        events_of: EventsOf = page_events,
        read_signals: ReadSignals | None = None,
    ) -> None:
        self.space = space
        self.events_of = events_of
        self.read_signals = read_signals
        self.store = store
        self.rules = rules or ClusterRules()
        self.executor = executor
        self.kept = KeptRepresentatives()
        self.sources: dict[tuple[str, str, int], SourceState] = {}

    async def load_pins(self, source: SourceName) -> int:
        """Read what a source has pinned, and return its fence: the last offset decided, -1 if none."""
        number = await self.store.source_number(*source)
        state = self.sources[source[:3]] = SourceState(number)
        state.take(await self.store.load_pins(number))
        return state.fence

    def first_unfinished(self, source: SourceName) -> int:
        """Return the first offset of a loaded source that is not both decided and committed."""
        state = self.sources[source[:3]]
        return min(state.pinned, default=state.fence + 1)

    def forget(self, source: SourceName) -> None:
        """Forget a source that was taken away."""
        self.sources.pop(source[:3], None)

    async def trim(self, source: SourceName, committed: int) -> None:
        """Let the store forget what only pages below `committed` would need again."""
        state = await self._state(source[:3])
        await self.store.trim(state.number, committed)
        state.pinned = {offset: page for offset, page in state.pinned.items() if offset >= committed}

    async def scan(self, pages: Sequence[PageToPlace]) -> list[ScannedPage]:
        """Scan pages in threads, so that the loop can talk to the store meanwhile."""
        loop = asyncio.get_running_loop()
        scan_one = partial(scan_to_place, read_signals=self.read_signals)
        return list(
            await asyncio.gather(*(loop.run_in_executor(self.executor, scan_one, page) for page in pages))
        )

    async def __call__(self, pages: Sequence[PageToPlace]) -> list[Placement]:
        """Scan and place pages; the placements come in the order of the pages."""
        return await self.place(await self.scan(pages))

    async def place(self, pages: Sequence[ScannedPage]) -> list[Placement]:
        """Place scanned pages; offsets of each source must rise."""
        by_source: dict[tuple[str, str, int], list[ScannedPage]] = {}
        for page in pages:
            by_source.setdefault(page.source, []).append(page)
        # Sources never wait for each other: while the server works for one, another is decided here.
        placed = await asyncio.gather(
            *(self._place_source(source, some) for source, some in by_source.items()), return_exceptions=True
        )
        found = dict(zip(by_source, map(_or_raise, placed), strict=True))
        return [found[page.source][page.origin.offset] for page in pages]

    async def _place_source(
        self, source: tuple[str, str, int], pages: list[ScannedPage]
    ) -> dict[int, Placement]:
        """Place pages of one source; return their placements by offset."""
        state = await self._state(source)
        placed: dict[int, Placement] = {}
        for start in range(0, len(pages), BATCH_PAGES):
            batch = await self._place_batch(state, pages[start : start + BATCH_PAGES])
            placed.update((placement.origin.offset, placement) for placement in batch)
        return placed

    async def _state(self, source: tuple[str, str, int]) -> SourceState:
        if source not in self.sources:
            await self.load_pins(SourceName(*source))
        return self.sources[source]

    async def _place_batch(self, state: SourceState, pages: list[ScannedPage]) -> list[Placement]:
        placements: list[Placement] = []
        while pages:
            old = sum(page.sketched.offset <= state.fence for page in pages)
            if old:
                placements += await self._repeat(state, pages[:old])
                pages = pages[old:]
                continue
            pinned = await self._decide(state, pages[: state.batch])
            if pinned:
                placements += await self._apply(state, pages[: len(pinned)], pinned)
                # Merges end a batch early: what was looked up for the rest is lost, so ask for less.
                cut = len(pinned) < min(state.batch, len(pages))
                state.batch = (
                    max(LEAST_BATCH_PAGES, len(pinned)) if cut else min(BATCH_PAGES, 2 * state.batch)
                )
                pages = pages[len(pinned) :]
        return placements

    async def _decide(self, state: SourceState, pages: list[ScannedPage]) -> list[PinnedPage]:
        """Decide and pin the first pages; none if somebody else has pinned them meanwhile."""
        sketched = [page.sketched for page in pages]
        view = await look_up(self.store, self.kept, self.rules, state.number, sketched, self.space)
        decisions = decide_batch(view, self.rules)
        pinned = [PinnedPage(one, extra=page.extra) for one, page in zip(decisions, pages, strict=False)]
        await self._complete(pinned, pages)
        first, last = pinned[0].decision.offset, pinned[-1].decision.offset
        theirs = await self.store.pin(state.number, state.fence, first, last, pack_pins(first, pinned))
        if theirs is not None:
            state.take(theirs)
            return []
        state.fence = last
        state.pinned.update((one.decision.offset, one) for one in pinned)
        return pinned

    async def _complete(self, pinned: list[PinnedPage], pages: list[ScannedPage]) -> None:
        """Add to decisions what events and effects will need of representatives."""
        fresh: dict[int, ScannedPage] = {}
        records = self.kept.records
        for one, page in zip(pinned, pages, strict=False):
            decision = one.decision
            name = decision.representative
            if decision.becomes:
                fresh[decision.becomes] = page
            if name and name != decision.becomes:
                one.representative_url = fresh[name].url if name in fresh else records[name].url
            if decision.evicted:
                one.evicted_lows = await self._lows(decision.evicted, fresh.get(decision.evicted))

    async def _lows(self, representative: int, page: ScannedPage | None) -> bytes:
        """Return that by which a representative, perhaps a page of this batch, is found in the index."""
        if page is not None:
            sketch = page.sketched.sketch
        else:
            await self.kept.load(self.store, [representative])
            record = self.kept.records.get(representative)
            sketch = bytes(256) if record is None else record.sketch
        return np.frombuffer(sketch, ">u2")[PROBE_SLOTS].tobytes()

    async def _repeat(self, state: SourceState, pages: list[ScannedPage]) -> list[Placement]:
        """Apply pages that are pinned already; those whose pins were trimmed are committed and done."""
        placements: list[Placement] = []
        some: list[ScannedPage] = []
        for page in pages:
            pinned = state.pinned.get(page.sketched.offset)
            if pinned is None:
                placements.append(Placement(page.origin, "skipped"))
                continue
            some.append(page)
            if pinned.decision.merges:
                placements += await self._apply_pinned(state, some)
                some = []
        return placements + await self._apply_pinned(state, some)

    async def _apply_pinned(self, state: SourceState, pages: list[ScannedPage]) -> list[Placement]:
        pinned = [state.pinned[page.sketched.offset] for page in pages]
        placements = await self._apply(state, pages, pinned)
        await self._unindex_gone(pages, pinned)
        return placements

    async def _unindex_gone(self, pages: list[ScannedPage], pinned: list[PinnedPage]) -> None:
        """Take out of the index what a repetition put there after its cluster was buried.

        A crash between shards leaves a batch half applied; if the sweep comes before the repetition, some
        entries would be added for a representative that nobody will ever bury again.
        """
        made = [
            (one.decision.becomes, page.sketched.sketch)
            for one, page in zip(pinned, pages, strict=True)
            if one.decision.becomes
        ]
        known = await self.store.read_representatives([name for name, _ in made])
        gone = [item for item, record in zip(made, known, strict=True) if record is None]
        if gone:
            await self.store.unindex(gone)

    async def _apply(
        self, state: SourceState, pages: list[ScannedPage], pinned: list[PinnedPage]
    ) -> list[Placement]:
        items = [AppliedPage(page.sketched, page.url, one) for page, one in zip(pages, pinned, strict=True)]
        applied = await apply_pages(self.store, state.number, items, self.space)
        placements = []
        for page, one, result in zip(pages, pinned, applied, strict=True):
            decision = one.decision
            if decision.becomes and decision.becomes not in self.kept.rows:
                sketched = page.sketched
                record = RepresentativeRecord(decision.cluster, sketched.sketch, sketched.text, page.url)
                self.kept.keep(decision.becomes, record)
            cluster = to_text(self.space, decision.cluster) if decision.cluster else None
            events = tuple(self.events_of(page, one, result))
            outcome = OUTCOMES[decision.outcome]
            placements.append(Placement(page.origin, outcome, cluster, events, one, result))
        return placements


def _or_raise(result: dict[int, Placement] | BaseException) -> dict[int, Placement]:
    """Return a result, or raise the error it is: only after all others have ended."""
    if isinstance(result, BaseException):
        raise result
    return result
