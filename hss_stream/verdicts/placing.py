"""Decide a batch of pages: which cluster each joins or opens, and what it changes on the way.

The result is that of placing the pages one by one, whatever the batch: what earlier pages of the batch
change (new clusters and representatives, clocks, domains, fill of the index) is followed in a copy of
the state that was looked up. Where that is not enough the batch ends early, and the caller looks
up again for the rest: after a merge, because counts of two shards move; and before a page that turns
out to need probes that were not looked up for it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.text_likeness import alike_parts
from hss_stream.verdicts.cluster_id import make_id, shard_of, spread_shard
from hss_stream.verdicts.cluster_rules import (
    FIRST_PROBES,
    ClusterRules,
    is_alive,
    is_near,
    is_sure,
    may_merge,
    may_represent,
    survivor,
)
from hss_stream.verdicts.fake_sums import FakeSums
from hss_stream.verdicts.style_match import matching_slots_many

OPENED, JOINED, MERGED, TOO_LITTLE_STYLE, HTTP_ERROR = range(5)
OUTCOMES = ("opened", "joined", "merged", "too_little_style", "http_error")

# Entry of the index: upper half of the probe word and the representative.
ENTRY_BYTES = 10


@dataclass(slots=True)
class ClusterHead:
    """What decisions need of a cluster's record; `further` maps further representatives to their joins."""

    into: int
    last: int
    further: dict[int, int] = field(default_factory=dict)


class Candidate(NamedTuple):
    """A representative that matches a page; `first`: the first probes found it."""

    slots: int
    representative: int
    first: bool


@dataclass(slots=True)
class PageView:
    """A page to place and what was looked up for it. `complete`: with all probes, not the first alone."""

    offset: int
    at: int
    domain: int
    links: tuple[int, ...] = ()
    text: bytes = b""
    fake: tuple[int, int, int] = (0, 0, 0)
    candidates: list[Candidate] = field(default_factory=list)
    complete: bool = True
    excluded: int | None = None


@dataclass
class BatchView:
    """A batch and the state it is decided on: a copy that deciding may change.

    `sketches` are rows of stored bytes (`style_match.sketch_rows`), `words` the probe words of each page
    (0: empty slot), `entries` and `bucket_bytes` how many entries of the same word, and bytes in all,
    their buckets hold. `owners` maps representatives to the cluster they were made for, `sketch_of` and
    `text_of` give their sketches and text parts.
    """

    source: int
    shards: int
    pages: list[PageView]
    sketches: NDArray[np.uint16]
    words: NDArray[np.uint32]
    entries: NDArray[np.int64]
    bucket_bytes: NDArray[np.int64]
    clocks: list[int]
    heads: dict[int, ClusterHead]
    owners: dict[int, int]
    domains: dict[int, tuple[int, int]]
    host_sums: dict[int, tuple[int, ...]]
    sketch_of: Callable[[int], NDArray[np.uint16]]
    text_of: Callable[[int], bytes]


@dataclass(slots=True)
class Decision:
    """What becomes of one page; this is what gets pinned.

    `path`: merged ids between the representative's cluster and the one that is joined. `merges`: clusters
    that fold into `cluster`. `probes`: bit mask of the probes under which the page is indexed, if it is.
    `known`: linked domains that have a record. `host`: fake text of the domain with this page.
    """

    offset: int
    outcome: int
    cluster: int = 0
    representative: int = 0
    slots: int = 0
    inward: int = 0
    links: int = 0
    alike: int = 0
    parts: int = 0
    path: tuple[int, ...] = ()
    merges: tuple[int, ...] = ()
    becomes: int = 0
    probes: int = 0
    evicted: int = 0
    known: int = 0
    host: tuple[int, int, int] = (0, 0, 0)


class LookUpAgain(Exception):  # noqa: N818 - a signal, not an error
    """The page at hand needs the state after the pages before it: the batch ends before it."""


class Deciding:
    """One run over a batch; `decide_batch` is the way in."""

    def __init__(self, view: BatchView, rules: ClusterRules) -> None:
        self.view = view
        self.rules = rules
        self.gone: set[int] = set()
        self.fresh: dict[int, int] = {}
        self.added: dict[tuple[int, int], int] = {}
        self.bucket_added: dict[tuple[int, int], int] = {}

    def path_of(self, representative: int) -> list[int] | None:
        """Return the clusters from a representative's own to the one it counts for; None if any is dead."""
        view = self.view
        path = []
        identity = view.owners[representative]
        while identity:
            head = view.heads.get(identity)
            if head is None or not is_alive(
                head.last, view.clocks[shard_of(identity)], self.rules.lifetime_seconds
            ):
                return None
            path.append(identity)
            identity = head.into
        return path

    def usable(self, page: PageView) -> list[tuple[Candidate, list[int]]] | None:
        """Return live candidates with their paths, best first; None when more probes must be looked up."""
        found = []
        for candidate in page.candidates:
            path = None if candidate.representative in self.gone else self.path_of(candidate.representative)
            if path is not None:
                found.append((candidate, path))
        first = [pair for pair in found if pair[0].first]
        if any(is_sure(candidate.slots, self.rules) for candidate, _ in first):
            found = first
        elif not page.complete:
            return None
        if len(found) > 1:
            found.sort(key=lambda pair: (-pair[0].slots, pair[0].representative))
        return found

    def sketch_of(self, representative: int) -> NDArray[np.uint16]:
        """Return the sketch of a representative, which may be a page of this batch."""
        number = self.fresh.get(representative)
        return self.view.sketch_of(representative) if number is None else self.view.sketches[number]

    def text_of(self, representative: int) -> bytes:
        """Return the text parts of a representative, which may be a page of this batch."""
        number = self.fresh.get(representative)
        return self.view.text_of(representative) if number is None else self.view.pages[number].text

    def merges_of(self, found: list[tuple[Candidate, list[int]]]) -> list[int]:
        """Return the clusters this page proves to be one: that of the best match, and those it bridges to."""
        best, path = found[0]
        roots = {path[-1]: best}
        for candidate, other in found[1:]:
            if other[-1] in roots:
                continue
            one, two = self.sketch_of(best.representative), self.sketch_of(candidate.representative)
            between = int(np.count_nonzero((one == two) & (one != 0)))
            if may_merge(best.slots, candidate.slots, between, self.rules):
                roots[other[-1]] = candidate
        return list(roots)

    def use(self, identity: int, at: int) -> None:
        """Follow what applying does to a cluster's shard: the clock moves, the use is noted."""
        clocks = self.view.clocks
        shard = shard_of(identity)
        clocks[shard] = max(clocks[shard], at)
        self.view.heads[identity].last = clocks[shard]

    def index(self, number: int, representative: int) -> int:
        """Index a page of the batch and let later pages find it; return the mask of probes with room."""
        view, rules = self.view, self.rules
        mask = 0
        for probe, word in enumerate(view.words[number].tolist()):
            if word == 0:
                continue
            key, bucket = (probe, word), (probe, word & 0xFFFF)
            entries = int(view.entries[number, probe]) + self.added.get(key, 0)
            size = int(view.bucket_bytes[number, probe]) + self.bucket_added.get(bucket, 0)
            if entries < rules.bucket_entries and size + ENTRY_BYTES <= rules.bucket_bytes:
                mask |= 1 << probe
                self.added[key] = self.added.get(key, 0) + 1
                self.bucket_added[bucket] = self.bucket_added.get(bucket, 0) + ENTRY_BYTES
            elif self.gone:
                # An entry of an evicted representative may have made room: only a new look-up can tell.
                raise LookUpAgain
        self.show_to_later(number, representative, mask)
        self.fresh[representative] = number
        return mask

    def show_to_later(self, number: int, representative: int, mask: int) -> None:
        """Add a new representative to the candidates of the later pages that its probes find."""
        view = self.view
        later = view.sketches[number + 1 :]
        slots = matching_slots_many(view.sketches[number].tobytes(), later)
        for ahead in np.flatnonzero(slots >= self.rules.threshold).tolist():
            other = number + 1 + ahead
            shared = (view.words[number] == view.words[other]) & (view.words[number] != 0)
            hits = sum(1 << probe for probe in np.flatnonzero(shared).tolist()) & mask
            if hits:
                first = hits & ((1 << FIRST_PROBES) - 1) != 0
                view.pages[other].candidates.append(Candidate(int(slots[ahead]), representative, first))

    def open(self, number: int, page: PageView) -> Decision:
        """Let a page that matches nothing open a cluster and be its prototype."""
        view = self.view
        shard = spread_shard(page.offset, view.source, view.shards)
        identity = make_id(page.offset, view.source, shard)
        view.heads[identity] = ClusterHead(0, page.at)
        view.owners[identity] = identity
        self.use(identity, page.at)
        mask = self.index(number, identity)
        return Decision(
            page.offset, OPENED, identity, identity, 128, becomes=identity, probes=mask, links=len(page.links)
        )

    def join(self, number: int, page: PageView, found: list[tuple[Candidate, list[int]]]) -> Decision:
        """Let a page join the cluster of its best match, and be a representative if that is far away."""
        view = self.view
        best, path = found[0]
        roots = self.merges_of(found) if len(found) > 1 else [path[-1]]
        cluster = survivor(roots)
        decision = Decision(page.offset, JOINED, cluster, best.representative, best.slots)
        decision.path = tuple(identity for identity in path if identity != cluster)
        if len(roots) > 1:
            decision.outcome = MERGED
            decision.merges = tuple(root for root in roots if root != cluster)
        owner = view.heads[path[0]]
        if best.representative in owner.further:
            owner.further[best.representative] += 1
        head = view.heads[cluster]
        if not is_near(best.slots, self.rules):
            accepted, evicted = may_represent(head.further, self.rules)
            if accepted:
                decision.becomes = make_id(page.offset, view.source, shard_of(cluster))
                decision.evicted = evicted or 0
                decision.probes = self.index(number, decision.becomes)
                self.replace(head, decision.becomes, evicted)
                view.owners[decision.becomes] = cluster
        self.count_links(page, decision)
        decision.alike, decision.parts = alike_parts(page.text, self.text_of(best.representative))
        for identity in (cluster, *decision.path):
            self.use(identity, page.at)
        return decision

    def replace(self, head: ClusterHead, becomes: int, evicted: int | None) -> None:
        """Note a new representative, and that another is gone."""
        if evicted is not None:
            del head.further[evicted]
            self.gone.add(evicted)
        head.further[becomes] = 0

    def count_links(self, page: PageView, decision: Decision) -> None:
        """Count the linked domains whose latest cluster is the one the page joins."""
        view = self.view
        names = {decision.cluster, *decision.path, *decision.merges}
        decision.links = len(page.links)
        for link in page.links:
            latest = view.domains.get(link)
            clock = view.clocks[link % view.shards]
            if latest is not None and is_alive(latest[1], clock, self.rules.domain_lifetime_seconds):
                decision.known += 1
                decision.inward += latest[0] in names

    def note_domain(self, page: PageView, decision: Decision) -> None:
        """Follow what applying does to the record of the page's domain."""
        view = self.view
        shard = page.domain % view.shards
        known = view.domains.get(page.domain)
        sums: tuple[int, ...] = (0, 0, 0)
        if known is not None and is_alive(known[1], view.clocks[shard], self.rules.domain_lifetime_seconds):
            sums = view.host_sums.get(page.domain, sums)
        decision.host = (FakeSums(*sums[:3]) + FakeSums(*page.fake)).to_numbers()
        view.host_sums[page.domain] = decision.host
        view.clocks[shard] = max(view.clocks[shard], page.at)
        view.domains[page.domain] = (decision.cluster, view.clocks[shard])


def decide_batch(view: BatchView, rules: ClusterRules) -> list[Decision]:
    """Return the decisions for the first pages of a batch, at least one; the rest must be looked up again."""
    run = Deciding(view, rules)
    decisions: list[Decision] = []
    for number, page in enumerate(view.pages):
        if page.excluded is not None:
            decisions.append(Decision(page.offset, page.excluded))
            continue
        found = run.usable(page)
        if found is None:
            break
        try:
            decision = run.join(number, page, found) if found else run.open(number, page)
        except LookUpAgain:
            break
        run.note_domain(page, decision)
        decisions.append(decision)
        if decision.merges:
            break
    return decisions
