"""Name-server verdicts for a crawl in memory: what the stream does over `hss.sites`, batch by batch."""

from collections.abc import Iterable

from hss_stream.steps.events import Event
from hss_stream.steps.judge_nameservers import JudgeNameservers, PlacedRecord
from hss_stream.steps.note_sites import NoteSites
from hss_stream.steps.site_record import SiteRecord
from hss_stream.store.memory_providers import MemoryProviderStore


class CrawlProviders:
    """Providers of one crawl; give `sites` to the step that judges pages, and `take` what it sends."""

    def __init__(self) -> None:
        store = MemoryProviderStore()
        self.sites = NoteSites(store)
        self._judge = JudgeNameservers(store)
        self._source = 1
        self._sent = 0

    async def take(self, events: Iterable[Event]) -> None:
        """Judge the providers that events are about; pages after these see what they became."""
        records = [SiteRecord.from_json(dict(e.body)) for e in events if e.kind == "site" and e.body]
        placed = [PlacedRecord(self._sent + at, record) for at, record in enumerate(records)]
        self._sent += len(records)
        if placed:
            await self._judge(self._source, placed)
