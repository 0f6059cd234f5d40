"""Replay a source through placing, without Kafka: deterministic, resumable after any kill.

A run is a source of its own: the offset of a page is its number among the records. Where each page went is
spooled to disk, so memory stays flat. Events go out first, then the spool is written, then the store
is told to forget: a run that is cut off repeats at most the pages it had in hand, byte for byte.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from hss_stream.errors import BadPageError, SettingsError
from hss_stream.sources.record import SourceRecord
from hss_stream.steps.events import Event, Origin
from hss_stream.steps.judge_nameservers import JudgeNameservers, PlacedRecord
from hss_stream.steps.judge_pages import JudgePages
from hss_stream.steps.list_clusters import SummaryRow, list_summaries, with_prototypes
from hss_stream.steps.place_page import Placement, SourceName
from hss_stream.steps.scan_page import PageToPlace, ScannedPage
from hss_stream.steps.site_record import SiteRecord
from hss_stream.steps.sweep import expired_events, sweep
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.verdicts.cluster_id import from_text, to_text

GROUP = "replay"
BATCH_PAGES = 512
LATENESS_MS = 3_600_000
# Page time of records without one when no `--now` was given.
NO_TIME_MS = int(datetime(2000, 1, 1, tzinfo=UTC).timestamp() * 1000)
_EARLIEST_MS = int(datetime(1990, 1, 1, tzinfo=UTC).timestamp() * 1000)
_LATEST_MS = int(datetime(2100, 1, 1, tzinfo=UTC).timestamp() * 1000)


def page_time(record: SourceRecord, now_ms: int | None) -> int:
    """Return the time a record counts for, in milliseconds."""
    stands_in = NO_TIME_MS if now_ms is None else now_ms
    if record.fetched_at is None:
        return stands_in
    at = int(record.fetched_at.timestamp() * 1000)
    if not _EARLIEST_MS <= at <= _LATEST_MS:
        return stands_in
    return at if now_ms is None else min(at, now_ms + LATENESS_MS)


class Spool:
    """Where each page went, one JSON line a page, in offset order."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.end = 0
        self.noted: dict[int, bytes] = {}

    def cut(self, start: int) -> int:
        """Go on from the page `start`, and drop a line cut off in the middle; return how many are before.

        A kill while the store forgets leaves pages that are done in one space and not in another: what
        became of them is told once. So lines from `start` on stay until they are written again, byte by byte
        the same.
        """
        whole = pages = 0
        self.path.touch()
        with self.path.open("rb") as lines:
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                offset = orjson.loads(line)[0]
                if offset >= start:
                    self.noted[offset] = line
                else:
                    self.end += len(line)
                    pages += 1
        with self.path.open("r+b") as file:
            file.truncate(whole)
        return pages

    def add(self, placements: Iterable[tuple[str, Placement]]) -> int:
        """Add pages; return how many are not known any more."""
        missing = 0
        with self.path.open("r+b") as file:
            file.seek(self.end)
            for url, placement in placements:
                offset = placement.origin.offset
                line = self.noted.pop(offset, b"")
                if not placement.is_skipped:
                    line = orjson.dumps((offset, url, placement.cluster, placement.text_cluster)) + b"\n"
                file.write(line)
                missing += not line
            self.end = file.tell()
        return missing

    def pages(self) -> Iterator[tuple[str, str | None, str | None]]:
        """Yield URL, style cluster and text cluster of every page."""
        with self.path.open("rb") as lines:
            for line in lines:
                _, url, cluster, text_cluster = orjson.loads(line)
                yield url, cluster, text_cluster


@dataclass
class Replay:
    """One run; iterate over `events`, then over `report`. `left_out` counts what is no page, by kind."""

    store: ClusterStore
    place: JudgePages
    spool: Spool
    judge_sites: JudgeNameservers | None = None
    now_ms: int | None = None
    run: int = 0
    done: int = 0
    missing: int = 0
    bad: list[str] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def source(self) -> SourceName:
        """The source this run is."""
        return SourceName(GROUP, str(self.run), 0)

    async def begin(self, run: int) -> int:
        """Begin a run the store gave, or go on with one; return the first record that is not finished."""
        last = await self.store.last_run()
        if not 0 < run <= last:
            raise SettingsError(f"resuming run {run}: the store knows the runs up to {last} alone")
        self.run = run
        await self.place.load_pins(self.source)
        start = self.place.first_unfinished(self.source)
        self.missing = start - self.spool.cut(start)
        self.done = start
        return start

    def batches(self, records: Iterable[SourceRecord], start: int) -> Iterator[list[PageToPlace]]:
        """Yield pages in batches, from a record on."""
        numbered = islice(enumerate(records), start, None)
        # Batches end at the same records however often a run was cut off: a page knows the providers
        # as they were after the batch before.
        size = BATCH_PAGES - start % BATCH_PAGES
        while some := list(islice(numbered, size)):
            size = BATCH_PAGES
            pages = []
            for offset, record in some:
                if record.kind != "page":
                    self.left_out[record.kind] = self.left_out.get(record.kind, 0) + 1
                    continue
                pages.append(
                    PageToPlace(
                        Origin(GROUP, str(self.run), 0, offset),
                        record.url,
                        page_time(record, self.now_ms),
                        record.body,
                        content_type=record.content_type,
                        status=record.status,
                        domain=record.domain,
                        nameservers=record.nameservers,
                    )
                )
            self.done = some[-1][0] + 1
            yield pages

    async def scan(self, pages: list[PageToPlace]) -> list[ScannedPage]:
        """Scan pages; those that cannot be read are reported and left out."""
        try:
            return await self.place.scan(pages)
        except BadPageError:
            scanned = []
            for page in pages:
                try:
                    scanned += await self.place.scan([page])
                except BadPageError as error:
                    self.bad.append(f"record {page.origin.offset}: {error}")
            return scanned

    async def events(self, records: Iterable[SourceRecord], start: int) -> AsyncIterator[list[Event]]:
        """Yield the events of the source, a bundle a batch; asking for the next one commits the last."""
        reading = self.batches(records, start)
        waiting: asyncio.Task[list[ScannedPage]] | None = None
        hour = 0
        while True:
            pages = next(reading, None)
            scanned = await waiting if waiting is not None else None
            waiting = None if pages is None else asyncio.create_task(self.scan(pages))
            if scanned:
                placements = await self.place.place(scanned)
                yield await self._with_providers(placements)
                urls = [page.page_url for page in scanned]
                self.missing += self.spool.add(zip(urls, placements, strict=True))
                await self.place.trim(self.source, scanned[-1].origin.offset + 1)
                latest = max(page.at_ms for page in scanned) // 3_600_000
                if latest > hour:
                    hour = latest
                    await self._sweep()
            if waiting is None:
                break
        await self._sweep()
        for space in self.place.spaces:
            async for events in expired_events(space.store):
                yield events

    async def _with_providers(self, placements: Iterable[Placement]) -> list[Event]:
        """Return the events of pages, then those of the providers they are evidence about."""
        events, records = [], []
        for placement in placements:
            for event in placement.events:
                if event.kind != "site":
                    events.append(event)
                elif event.body is not None:
                    record = SiteRecord.from_json(dict(event.body))
                    records.append(PlacedRecord(placement.origin.offset, record))
        if self.judge_sites is not None and records:
            source = await self.judge_sites.store.source_number(*self.source)
            for some in await self.judge_sites(source, records):
                events += some
        return events

    async def _sweep(self) -> None:
        for space in self.place.spaces:
            await sweep(space.store)

    async def report(self) -> AsyncIterator[dict[str, Any]]:
        """Yield where every page is now, then every cluster, by mean similarity x domains."""
        merged: dict[str, dict[int, int]] = {}
        rows: list[SummaryRow] = []
        for space in self.place.spaces:
            found = await list_summaries(space.store, space.space)
            rows += found.rows
            merged[space.space] = found.merged
        for url, name, text_name in self.spool.pages():
            yield {
                "event": "placement",
                "url": url,
                "cluster": survivor_name(name, merged),
                "text_cluster": survivor_name(text_name, merged),
            }
        stores = {space.space: space.store for space in self.place.spaces}
        async for row in with_prototypes(sorted(rows, key=lambda row: row.order), stores):
            yield {"event": "summary", **row}


def survivor_name(name: str | None, merged: dict[str, dict[int, int]]) -> str | None:
    """Return the cluster that an id counts for now."""
    if name is None:
        return None
    space, cluster = from_text(name)
    into = merged.get(space, {})
    while cluster in into:
        cluster = into[cluster]
    return to_text(space, cluster)
