"""Place pages in the style and the text space, and judge them: the whole of what a page tells.

    scan ─▶ style space: look up, decide, pin, apply ─┐
       ├──▶ text space:  look up, decide, pin, apply ─┼▶ verdict ─▶ attachment, clusters, alerts
       └──▶ providers:   meet, note the site ─────────┘        └──▶ lineage, records for `hss.sites`

Spaces and providers have stores of their own; each is safe to repeat, so the whole is.
`JudgePages` stands where `PlacePages` stands and keeps the same promises.
"""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.probes import PROBE_SLOTS
from hss_stream.signals.site_sample import FARM
from hss_stream.steps.candidates import SketchedPage
from hss_stream.steps.events import Event
from hss_stream.steps.note_sites import NotedPage, NoteSites
from hss_stream.steps.page_events import attachment_event, cluster_events
from hss_stream.steps.page_verdict import (
    AllowLists,
    Placed,
    judged_page,
    page_alerts,
    style_cluster,
    text_cluster,
    text_cluster_alerts,
)
from hss_stream.steps.place_page import Placement, PlacePages, SourceName
from hss_stream.steps.read_signals import ReadSignals, read_signals
from hss_stream.steps.scan_page import PageToPlace, ScannedPage
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.verdicts.alert import AlertRules
from hss_stream.verdicts.cluster_id import TEXT
from hss_stream.verdicts.cluster_rules import ClusterRules
from hss_stream.verdicts.placing import OUTCOMES, TOO_LITTLE_STYLE
from hss_stream.verdicts.text_match import COORDINATE_SLOTS, JOIN_SLOTS, MERGE_SLOTS, NEAR_SLOTS

# A campaign varies more than a template: twice the representatives of a style cluster.
TEXT_RULES = ClusterRules(
    threshold=JOIN_SLOTS, near_slots=NEAR_SLOTS, representatives=16, bridge_slots=0, merge_slots=MERGE_SLOTS
)
# The neighbour of each probed slot among those of the same coordinate: the upper half of its probe word.
_NEIGHBOURS = PROBE_SLOTS - PROBE_SLOTS % COORDINATE_SLOTS + (PROBE_SLOTS + 1) % COORDINATE_SLOTS


def text_words(slots: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the 20 probe words of a text's slots, 0 where its coordinate is null."""
    words: NDArray[np.uint32] = slots[_NEIGHBOURS] << np.uint32(16) | slots[PROBE_SLOTS]
    words[slots[PROBE_SLOTS] == 0] = 0
    return words


def text_page(page: ScannedPage) -> ScannedPage:
    """Return the page as the text space sees it: the sketch of its signatures, no links."""
    sketch = page.signals.sketch() if page.signals is not None else None
    words = text_words(np.frombuffer(sketch or bytes(256), ">u2").astype(np.uint32))
    whole = page.sketched
    excluded = None if sketch is not None else TOO_LITTLE_STYLE
    sketched = SketchedPage(
        whole.offset, whole.at, whole.domain, sketch or bytes(256), words, (), b"", excluded
    )
    return replace(page, sketched=sketched)


class JudgePages:
    """The step; one for a worker. `text` is None where pages are not to be placed by their text."""

    def __init__(
        self,
        style: PlacePages,
        text: PlacePages | None = None,
        rules: AlertRules | None = None,
        lists: AllowLists | None = None,
        sites: NoteSites | None = None,
    ) -> None:
        self.style = style
        self.text = text
        self.sites = sites
        self.rules = rules or AlertRules()
        self.lists = lists or AllowLists()
        self.spaces = [style] if text is None else [style, text]
        self.read_signals = style.read_signals

    async def load_pins(self, source: SourceName) -> int:
        """Read what a source has pinned, and return the lower fence: past it a space has decided nothing."""
        if self.sites is not None:
            await self.sites.load(source)
        return min([await space.load_pins(source) for space in self.spaces])

    def first_unfinished(self, source: SourceName) -> int:
        """Return the first offset of a loaded source that is not finished in both spaces."""
        return min(space.first_unfinished(source) for space in self.spaces)

    def forget(self, source: SourceName) -> None:
        """Forget a source that was taken away."""
        for space in self.spaces:
            space.forget(source)

    async def trim(self, source: SourceName, committed: int) -> None:
        """Let the stores forget what only pages below `committed` would need again."""
        for space in self.spaces:
            await space.trim(source, committed)
        if self.sites is not None:
            await self.sites.trim(source, committed)

    async def scan(self, pages: Sequence[PageToPlace]) -> list[ScannedPage]:
        """Scan pages in threads."""
        return await self.style.scan(pages)

    async def __call__(self, pages: Sequence[PageToPlace]) -> list[Placement]:
        """Scan, place and judge pages; the placements come in the order of the pages."""
        return await self.place(await self.scan(pages))

    async def place(self, pages: Sequence[ScannedPage]) -> list[Placement]:
        """Place and judge scanned pages; offsets of each source must rise."""
        styles, texts, sites = await asyncio.gather(
            self.style.place(pages), self._place_texts(pages), self._note_sites(pages)
        )
        return [
            self.judged(page, style, text, site)
            for page, style, text, site in zip(pages, styles, texts, sites, strict=True)
        ]

    async def _place_texts(self, pages: Sequence[ScannedPage]) -> Sequence[Placement | None]:
        if self.text is None:
            return [None] * len(pages)
        return await self.text.place([text_page(page) for page in pages])

    async def _note_sites(self, pages: Sequence[ScannedPage]) -> list[NotedPage | None]:
        return [None] * len(pages) if self.sites is None else await self.sites(pages)

    def judged(
        self, page: ScannedPage, style: Placement, text: Placement | None, site: NotedPage | None = None
    ) -> Placement:
        """Return a placement with all events of its page; a page committed long ago has none."""
        if style.pinned is None or style.applied is None:
            return style
        placed = Placed(self.style.space, style.pinned, style.applied)
        document = None
        if (
            text is not None
            and text.pinned is not None
            and text.applied is not None
            and self.text is not None
        ):
            document = Placed(self.text.space, text.pinned, text.applied)
        found = None if document is None else document.cluster
        return replace(style, events=tuple(self.events(page, placed, document, site)), text_cluster=found)

    def events(
        self, page: ScannedPage, style: Placed, text: Placed | None, site: NotedPage | None = None
    ) -> Iterator[Event]:
        """Yield attachment, changes of clusters, alerts and records for providers, in a fixed order."""
        provider = None if site is None else site.spam_provider
        verdict = judged_page(page, style, text, self.rules, self.lists, provider)
        attachment = attachment_event(page, style.pinned, style.applied.joined)
        found = None if text is None else text_cluster(page, text, self.lists)
        more = {
            "text_outcome": _text_outcome(text),
            "text_cluster": None if found is None else found.cluster,
            "imatch": None if found is None else {"matching": found.matching, "of": found.of},
            "faketext": None if page.signals is None else page.signals.shown_faketext(),
            **verdict.to_json(),
        }
        yield replace(attachment, body={**(attachment.body or {}), **more})
        yield from cluster_events(page, style.pinned, style.applied, style.space)
        if text is not None:
            yield from cluster_events(page, text.pinned, text.applied, text.space)
        yield from page_alerts(page, style, verdict, self.rules, self.lists)
        if text is not None:
            yield from text_cluster_alerts(page, text, self.rules, self.lists)
        if site is not None:
            cluster = style_cluster(style, self.lists)
            yield from site.events(page, FARM if cluster and cluster.kind == "link_farm" else 0)


def _text_outcome(text: Placed | None) -> str | None:
    """Return the outcome in the text space; None without one."""
    if text is None:
        return None
    decision = text.pinned.decision
    return OUTCOMES[decision.outcome] if decision.cluster else "too_little_text"


def build_judge(
    store: ClusterStore,
    text_store: ClusterStore | None,
    *,
    executor: Executor | None = None,
    rules: AlertRules | None = None,
    lists: AllowLists | None = None,
    sites: NoteSites | None = None,
    read_text: ReadSignals | None = read_signals,
) -> JudgePages:
    """Return the step on open stores, with all signals that are installed unless told otherwise."""
    style = PlacePages(store, executor=executor, events_of=no_events, read_signals=read_text)
    text = None
    if text_store is not None:
        text = PlacePages(text_store, TEXT_RULES, executor, TEXT, no_events)
    return JudgePages(style, text, rules, lists, sites)


def no_events(*_: object) -> tuple[Event, ...]:
    """Return nothing: the events of a judged page are made when both spaces have placed it."""
    return ()
