"""A store that breaks off at chosen calls, and a run through any sequence of mishaps."""

import numpy as np

from hss_stream.steps.page_events import cluster_events
from hss_stream.steps.place_page import PlacePages, SourceName
from hss_stream.steps.sweep import expired_events, sweep
from hss_stream.store.layout import domain_hash

SOURCE = SourceName("test", "pages", 0)
WRITES = {
    "pin", "apply", "link", "drain", "take", "acknowledge", "trim", "find_dead", "unindex", "bury",
    "forget_expired",
}  # fmt: skip


def changes_of(space):
    """Return what makes the events of a space without styles: its changes of clusters."""
    return lambda page, pinned, applied: cluster_events(page, pinned, applied, space)


class Crash(Exception):  # noqa: N818 - it stands for a kill, not an error
    """The worker was killed here."""


class BreakingStore:
    """Passes calls on; kills the worker before, within or after the n-th write."""

    def __init__(self, store):
        self.store = store
        self.fuse = None
        self.how = "after"

    def arm(self, fuse, how):
        """Let the worker die at the write after so many others."""
        self.fuse, self.how = fuse, how

    def __getattr__(self, name):
        act = getattr(self.store, name)
        if name not in WRITES:
            return act

        async def breaking(*args, **kwargs):
            if self.fuse is None:
                return await act(*args, **kwargs)
            self.fuse -= 1
            if self.fuse >= 0:
                return await act(*args, **kwargs)
            self.fuse = None
            if name == "apply" and self.how == "within":
                source, effects = args
                await act(source, dict(list(effects.items())[::2]))
            elif self.how == "after":
                await act(*args, **kwargs)
            raise Crash

        return breaking


class Run:
    """Delivers pages through mishaps, and notes every event by its id."""

    def __init__(self, store, rules, pages, space="s"):
        self.store, self.rules, self.pages, self.space = BreakingStore(store), rules, pages, space
        self.place = self.worker(self.store)
        self.zombie = self.worker(store)
        self.committed = self.position = 0
        self.events = {}

    def worker(self, store):
        """Return a worker that knows nothing yet."""
        if self.space == "s":
            return PlacePages(store, self.rules)
        return PlacePages(store, self.rules, space=self.space, events_of=changes_of(self.space))

    def note(self, events):
        """Note events; the same id must have the same bytes."""
        for event in events:
            name = event.body["id"] if event.body is not None else event.key
            assert self.events.setdefault(name, event.encode()) == event.encode()

    async def deliver(self, place, start, stop):
        """Deliver pages and note their events."""
        for placement in await place.place(self.pages[start:stop]):
            self.note(placement.events)

    async def act(self, kind, number, fuse, how):
        """Do one thing that may happen; a crash brings a new worker that starts at the commit."""
        if kind == "crash":
            self.store.arm(fuse, how)
        stop = min(self.position + number, len(self.pages))
        try:
            if kind == "zombie":
                await self.deliver(self.zombie, self.committed, stop)
            elif kind == "sweep":
                await sweep(self.store)
                async for events in expired_events(self.store):
                    self.note(events)
            elif kind == "commit" and self.position:
                await self.place.trim(SOURCE, self.pages[self.position - 1].origin.offset + 1)
                self.committed = self.position
            elif kind == "again":
                self.position = self.committed
            else:
                await self.deliver(self.place, self.position, stop)
                self.position = stop
        except Crash:
            self.place = self.worker(self.store)
            self.position = self.committed
        if kind == "restart":
            self.place = self.worker(self.store)
            self.position = self.committed

    async def finish(self):
        """Deliver the rest undisturbed and sweep; return all there is to compare."""
        self.store.fuse = None
        await self.deliver(self.place, self.position, len(self.pages))
        await sweep(self.store)
        async for events in expired_events(self.store):
            self.note(events)
        return await self.dump()

    async def dump(self):
        """Return clusters, representatives, domains, clocks and index entries."""
        store = self.store.store
        clusters = {cluster: record async for cluster, record in store.list_clusters(self.space)}
        names = sorted({name for one in clusters for name in (one, *clusters[one].further)})
        domains = sorted({domain_hash(page.domain) for page in self.pages})
        hits = await store.read_buckets(np.stack([page.sketched.words for page in self.pages]), 0)
        index = sorted(zip(hits.rows.tolist(), hits.representatives.tolist(), strict=True))
        return (
            clusters,
            dict(zip(names, await store.read_representatives(names), strict=True)),
            dict(zip(domains, await store.read_domains(domains), strict=True)),
            await store.read_clocks(),
            index,
        )
