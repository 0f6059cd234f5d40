"""The look-up phase of placing pages: which representatives match, and the state their clusters are in.

Six probes are looked up for all pages, the other fourteen only for those which these do not surely
place near a living representative (`verdicts/placing.py` has the rule). Representatives are
immutable, so they are kept here; everything else is read afresh for every batch, because decisions
must not depend on what a worker happens to remember.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.probes import PROBES
from hss_stream.signals.slot_pairs import match_hits
from hss_stream.signals.style_sketch import SLOTS
from hss_stream.store.cluster_store import BucketHits, ClusterReads, ClusterStore
from hss_stream.store.records import RepresentativeRecord
from hss_stream.verdicts.batch_view import BatchView, ClusterHead, Matches
from hss_stream.verdicts.cluster_id import STYLE, shard_of
from hss_stream.verdicts.cluster_rules import FIRST_PROBES, ClusterRules, is_alive
from hss_stream.verdicts.style_match import sketch_rows

# 64 Ki representatives are 17 MB of sketches and about as much of URLs.
KEPT_REPRESENTATIVES = 65_536


@dataclass(frozen=True)
class SketchedPage:
    """A page as the look-up sees it; `words` are its 20 probe words, `excluded` why it is not placed."""

    offset: int
    at: int
    domain: int
    sketch: bytes
    words: NDArray[np.uint32]
    links: tuple[int, ...] = ()
    text: bytes = b""
    excluded: int | None = None
    fake: tuple[int, int, int] = (0, 0, 0)


class KeptRepresentatives:
    """The representatives seen last, in a ring of rows."""

    def __init__(self, limit: int = KEPT_REPRESENTATIVES) -> None:
        self.limit = limit
        self.sketches = np.zeros((min(limit, 1024), SLOTS), np.uint16)
        self.names: list[int] = []
        self.rows: dict[int, int] = {}
        self.records: dict[int, RepresentativeRecord] = {}
        self.next = 0

    def keep(self, name: int, record: RepresentativeRecord) -> None:
        """Keep a representative, in place of the one kept longest if there is no room."""
        row = self.next
        if row == len(self.sketches) < self.limit:
            grown = np.zeros((min(self.limit, 2 * row), SLOTS), np.uint16)
            grown[:row] = self.sketches
            self.sketches = grown
        if row < len(self.names):
            old = self.names[row]
            del self.rows[old], self.records[old]
            self.names[row] = name
        else:
            self.names.append(name)
        self.sketches[row] = np.frombuffer(record.sketch, np.uint16)
        self.rows[name] = row
        self.records[name] = record
        self.next = (row + 1) % self.limit

    async def load(self, store: ClusterReads, names: list[int]) -> None:
        """Fetch those of the named that are not kept; what the store does not have stays missing."""
        missing = [name for name in names if name not in self.rows]
        if missing:
            for name, record in zip(missing, await store.read_representatives(missing), strict=True):
                if record is not None:
                    self.keep(name, record)


class LookUp:
    """One look-up of a batch; `look_up` is the way in."""

    def __init__(
        self,
        store: ClusterStore,
        kept: KeptRepresentatives,
        rules: ClusterRules,
        pages: Sequence[SketchedPage],
        space: str,
    ) -> None:
        self.store = store
        self.space = space
        self.kept = kept
        self.rules = rules
        self.sketches = sketch_rows(b"".join([page.sketch for page in pages]))
        self.words = np.stack([page.words for page in pages])
        self.heads: dict[int, ClusterHead] = {}
        self.owners: dict[int, int] = {}
        self.entries = np.zeros((len(pages), PROBES), np.int64)
        self.bucket_bytes = np.zeros((len(pages), PROBES), np.int64)
        # What was found: page, representative, matching slots, found by the first probes.
        self.found: list[tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64], bool]] = []

    async def probe(self, rows: NDArray[np.int64], first: int, last: int) -> None:
        """Look probes of some pages up, and note what matches them."""
        if not len(rows):
            return
        hits = await self.store.read_buckets(np.ascontiguousarray(self.words[rows, first:last]), first)
        self.entries[rows, first:last] = hits.entries
        self.bucket_bytes[rows, first:last] = hits.bucket_bytes
        if len(hits.rows):
            await self.match(rows, hits, first=first == 0)

    async def match(self, rows: NDArray[np.int64], hits: BucketHits, *, first: bool) -> None:
        """Compare pages with the representatives their probes found."""
        names, numbers = np.unique(hits.representatives, return_inverse=True)
        listed = names.tolist()
        await self.kept.load(self.store, listed)
        kept_rows = np.array([self.kept.rows.get(name, -1) for name in listed], np.int64)
        page_rows, numbers, slots = match_hits(
            self.sketches, rows[hits.rows], numbers, self.kept.sketches, kept_rows, self.rules.threshold
        )
        self.found.append((page_rows, names[numbers], slots, first))
        records = self.kept.records
        for number in np.unique(numbers).tolist():
            self.owners[listed[number]] = records[listed[number]].owner
        await self.load_heads()

    async def load_heads(self) -> None:
        """Read the records of all clusters that candidates lead to, along their merges."""
        wanted = {owner for owner in self.owners.values() if owner not in self.heads}
        while wanted:
            names = list(wanted)
            wanted = set()
            for name, head in zip(names, await self.store.read_heads(self.space, names), strict=True):
                if head is not None:
                    self.heads[name] = head
                    if head.into and head.into not in self.heads:
                        wanted.add(head.into)

    def surely_placed(self, latest: list[int]) -> NDArray[np.int64]:
        """Return the pages that need no further probes, however the clocks move within the batch."""
        if not self.found:
            return np.empty(0, np.int64)
        [(rows, names, slots, _)] = self.found
        close = slots >= self.rules.sure_slots
        unique, numbers = np.unique(names[close], return_inverse=True)
        lives = np.array([self.surely_lives(name, latest) for name in unique.tolist()], np.bool_)
        return np.unique(rows[close][lives[numbers]])

    def surely_lives(self, representative: int, latest: list[int]) -> bool:
        """Tell whether every cluster from a representative's own to the last lives at the latest clocks."""
        name = self.owners[representative]
        while name:
            head = self.heads.get(name)
            if head is None or not is_alive(head.last, latest[shard_of(name)], self.rules.lifetime_seconds):
                return False
            name = head.into
        return True

    def matches(self) -> Matches:
        """Return all that was found, by page, best first; what both rounds found counts for the first."""
        empty = (np.empty(0, np.int64), np.empty(0, np.uint64), np.empty(0, np.int64), True)
        found = self.found or [empty]
        rows, names, slots = (np.concatenate([one[column] for one in found]) for column in range(3))
        first = np.repeat([one[3] for one in found], [len(one[0]) for one in found])
        order = np.lexsort((~first, names, -slots, rows))
        rows, names, slots, first = rows[order], names[order], slots[order], first[order]
        fresh = np.ones(len(rows), np.bool_)
        fresh[1:] = (rows[1:] != rows[:-1]) | (names[1:] != names[:-1])
        rows, names, slots, first = rows[fresh], names[fresh], slots[fresh], first[fresh]
        return Matches(np.searchsorted(rows, np.arange(len(self.words) + 1)), names, slots, first)


async def look_up(
    store: ClusterStore,
    kept: KeptRepresentatives,
    rules: ClusterRules,
    source: int,
    pages: Sequence[SketchedPage],
    space: str = STYLE,
) -> BatchView:
    """Read everything that deciding these pages needs."""
    run = LookUp(store, kept, rules, pages, space)
    clocks = await store.read_clocks()
    rows = np.array([row for row, page in enumerate(pages) if page.excluded is None], np.int64)
    await run.probe(rows, 0, FIRST_PROBES)
    newest = max(page.at for page in pages)
    complete = np.ones(len(pages), np.bool_)
    complete[run.surely_placed([max(clock, newest) for clock in clocks])] = False
    await run.probe(rows[complete[rows]], FIRST_PROBES, PROBES)
    names = sorted({page.domain for page in pages}.union(*(page.links for page in pages)))
    hosts = await store.read_hosts(names) if space == STYLE else {}
    return BatchView(
        source, store.shards, pages, run.sketches, run.words, run.entries, run.bucket_bytes, complete,
        run.matches(), clocks, run.heads, run.owners,
        {name: (one.latest, one.last) for name, one in hosts.items()},
        {name: one.fake for name, one in hosts.items()},
        lambda name: kept.sketches[kept.rows[name]], lambda name: kept.records[name].text,
    )  # fmt: skip
