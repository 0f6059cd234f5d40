"""Note who serves the names of the sites that pages come from: is a provider spam, and who left whom?

    pages with name servers ─▶ meet the providers ─▶ note the sites ─▶ NS_SPAM, lineage, site records

Everything that depends on the store is answered from the first time when a page is delivered again, so
its verdict and its records are the same bytes.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import orjson

from hss_stream.steps.events import Event, make_event
from hss_stream.steps.place_page import SourceName
from hss_stream.steps.provider_names import providers_of
from hss_stream.steps.scan_page import ScannedPage
from hss_stream.steps.site_record import SiteRecord
from hss_stream.store.layout import domain_hash
from hss_stream.store.provider_records import STATES
from hss_stream.store.provider_store import ProviderHead, ProviderStore, SiteNote

SPAM = STATES.index("spam")
Resolve = Callable[[Sequence[str]], Awaitable[list[tuple[str, ...]]]]


@dataclass(frozen=True)
class NotedPage:
    """What the name servers of a page tell: by provider, the first that is spam, and who was left."""

    source: int
    nameservers: dict[str, tuple[str, ...]]
    spam_provider: str | None = None
    before: tuple[str, ...] = ()

    def events(self, page: ScannedPage, flags: int) -> Iterator[Event]:
        """Yield the lineage of a site that moved, and the records for its providers, in a fixed order."""
        if page.home is None:
            return
        now = sorted(self.nameservers)
        if self.before and list(self.before) != now:
            yield make_event(
                "lineage", page.origin, page.at_ms, page.domain, "", f"lineage:{page.domain}",
                domain=page.domain, **{"from": list(self.before)}, to=now,
            )  # fmt: skip
        home = replace(page.home, flags=page.home.flags | flags)
        about = (page.origin, self.source, page.at_ms, page.domain)
        for provider in now:
            yield SiteRecord("site", provider, *about, home, self.nameservers[provider]).to_event()
        for provider in self.before:
            if provider not in self.nameservers:
                yield SiteRecord("leave", provider, *about).to_event()


class NoteSites:
    """The step; one for a worker. `resolve` asks the DNS for the name servers of domains, where it may."""

    def __init__(self, store: ProviderStore, resolve: Resolve | None = None) -> None:
        self.store = store
        self.resolve = resolve
        self.numbers: dict[tuple[str, str, int], int] = {}

    async def __call__(self, pages: Sequence[ScannedPage]) -> list[NotedPage | None]:
        """Note pages, offsets of each source rising; None for pages without name servers."""
        names = await self._nameservers(pages)
        found = [providers_of(some) for some in names]
        wanted = {domain_hash(provider): provider for providers in found for provider in providers}
        if not wanted:
            return [None] * len(pages)
        heads = await self.store.meet(wanted, max(page.at_ms for page in pages) // 1000)
        by_source: dict[int, list[int]] = {}
        for place, (page, providers) in enumerate(zip(pages, found, strict=True)):
            if providers:
                by_source.setdefault(await self._number(page.source), []).append(place)
        noted: list[NotedPage | None] = [None] * len(pages)
        for source, places in by_source.items():
            notes = [_note(pages[place], found[place], heads) for place in places]
            answers = await self.store.note(source, notes)
            left = await self._names({one for answer in answers.values() for one in answer.before})
            for place, note in zip(places, notes, strict=True):
                answer = answers.get(note.offset)
                if answer is not None:
                    before = sorted(left[one] for one in answer.before if one in left)
                    noted[place] = _noted(source, answer.blob, tuple(before))
        return noted

    async def load(self, source: SourceName) -> None:
        """Learn the number of a source that was assigned."""
        self.numbers[source[:3]] = await self.store.source_number(*source)

    async def trim(self, source: SourceName, committed: int) -> None:
        """Forget what only pages below `committed` would need again."""
        await self.store.trim(await self._number(source[:3]), committed)

    async def _nameservers(self, pages: Sequence[ScannedPage]) -> list[tuple[str, ...]]:
        """Return the name servers of pages; those of home pages that name none are asked for."""
        names = [page.nameservers for page in pages]
        missing = [
            place for place, page in enumerate(pages) if page.home is not None and not page.nameservers
        ]
        if self.resolve is not None and missing:
            answers = await self.resolve([pages[place].domain for place in missing])
            for place, answer in zip(missing, answers, strict=True):
                names[place] = answer
        return names

    async def _names(self, providers: set[int]) -> dict[int, str]:
        """Return the names of providers that are known."""
        ordered = sorted(providers)
        records = await self.store.read_heads(ordered) if ordered else []
        return {one: record.name for one, record in zip(ordered, records, strict=True) if record is not None}

    async def _number(self, source: tuple[str, str, int]) -> int:
        if source not in self.numbers:
            self.numbers[source] = await self.store.source_number(*source)
        return self.numbers[source]


def _note(
    page: ScannedPage, providers: dict[str, tuple[str, ...]], heads: dict[int, ProviderHead]
) -> SiteNote:
    """Return what is noted of a page: its providers, and what its events need again."""
    names = {domain_hash(provider): provider for provider in providers}
    spam = next((names[one] for one in names if heads[one].state == SPAM), None)
    blob = orjson.dumps([providers, spam])
    at, domain = page.at_ms // 1000, page.sketched.domain
    return SiteNote(page.origin.offset, at, domain, page.home is not None, tuple(names), blob)


def _noted(source: int, blob: bytes, before: tuple[str, ...]) -> NotedPage:
    providers, spam = orjson.loads(blob)
    return NotedPage(source, {name: tuple(some) for name, some in providers.items()}, spam, before)
