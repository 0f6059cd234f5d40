"""Decide a batch of pages: which cluster each joins or opens, and what it changes on the way.

The result is that of placing the pages one by one, whatever the batch: what earlier pages of the batch
change (new clusters and representatives, clocks, domains, fill of the index) is followed in a copy of
the state that was looked up. Where that is not enough the batch ends early, and the caller looks
up again for the rest: after a merge, because counts of two shards move; and before a page that turns
out to need probes that were not looked up for it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.text_likeness import alike_parts, alike_parts_many
from hss_stream.verdicts.batch_view import BatchView, Candidate, ClusterHead, PageView
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
from hss_stream.verdicts.fake_sums import MAX_SUM
from hss_stream.verdicts.style_match import matching_slots_many

OPENED, JOINED, MERGED, TOO_LITTLE_STYLE, HTTP_ERROR = range(5)
OUTCOMES = ("opened", "joined", "merged", "too_little_style", "http_error")

# Entry of the index: upper half of the probe word and the representative.
ENTRY_BYTES = 10


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
        self.later: dict[int, list[Candidate]] = {}
        self.added: dict[tuple[int, int], int] = {}
        self.bucket_added: dict[tuple[int, int], int] = {}
        times = [page.at for page in view.pages]
        newest = max(*view.clocks, *times)
        lasts = [head.last for head in view.heads.values()]
        # A use sets the time of a cluster to at least this.
        lasts.append(max(min(view.clocks), min(times)))
        # Where nothing can die before the batch ends, paths stay what they are.
        self.calm = is_alive(min(lasts), newest, rules.lifetime_seconds)
        self.paths: dict[int, tuple[int, ...]] = {}

    def path_of(self, representative: int) -> tuple[int, ...]:
        """Return the clusters from a representative's own to the one it counts for; empty if any is dead."""
        if representative not in self.paths:
            path = self.find_path(representative)
            if not self.calm:
                return path
            self.paths[representative] = path
        return self.paths[representative]

    def find_path(self, representative: int) -> tuple[int, ...]:
        """Follow merges from a representative's cluster."""
        view = self.view
        path = []
        identity = view.owners[representative]
        while identity:
            head = view.heads.get(identity)
            if head is None or not is_alive(
                head.last, view.clocks[shard_of(identity)], self.rules.lifetime_seconds
            ):
                return ()
            path.append(identity)
            identity = head.into
        return tuple(path)

    def plain_joins(self) -> list[int]:
        """Return for each page the place of its best match if it can do nothing but join there, else -1.

        Such a page is near its best match, and everything else it matches belongs to the same cluster:
        it opens, merges and represents nothing, whatever the pages before it do.
        """
        starts, names, slots, first = self.view.matches
        if not self.calm or not len(names):
            return [-1] * len(self.view.pages)
        unique, numbers = np.unique(names, return_inverse=True)
        paths = [self.path_of(name) for name in unique.tolist()]
        roots = np.array([path[-1] if path else 0 for path in paths], np.uint64)[numbers]
        matching = np.flatnonzero(starts[1:] > starts[:-1])
        best = starts[matching]
        least, most = np.minimum.reduceat(roots, best), np.maximum.reduceat(roots, best)
        # Where the first probes are sure they alone decide; a page with all probes is then looked at closely.
        sure = np.maximum.reduceat(slots * first, best) >= self.rules.sure_slots
        plain = (least == most) & (least > 0) & (slots[best] >= self.rules.near_slots)
        plain &= sure != self.view.complete[matching]
        places = np.full(len(self.view.pages), -1, np.int64)
        places[matching[plain]] = best[plain]
        return places.tolist()

    def usable(self, number: int) -> list[tuple[Candidate, tuple[int, ...]]] | None:
        """Return live candidates with their paths, best first; None when more probes must be looked up."""
        found = []
        for candidate in (*self.view.candidates_of(number), *self.later.get(number, ())):
            path = () if candidate.representative in self.gone else self.path_of(candidate.representative)
            if path:
                found.append((candidate, path))
        first = [pair for pair in found if pair[0].first]
        if any(is_sure(candidate.slots, self.rules) for candidate, _ in first):
            found = first
        elif not self.view.complete[number]:
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

    def merges_of(self, found: list[tuple[Candidate, tuple[int, ...]]]) -> list[int]:
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
        added, bucket_added = self.added, self.bucket_added
        held = (
            view.words[number].tolist(),
            view.entries[number].tolist(),
            view.bucket_bytes[number].tolist(),
        )
        mask = 0
        for probe, (word, entries, size) in enumerate(zip(*held, strict=True)):
            if word == 0:
                continue
            key, bucket = (probe, word), (probe, word & 0xFFFF)
            more, more_bytes = added.get(key, 0), bucket_added.get(bucket, 0)
            if (
                entries + more < rules.bucket_entries
                and size + more_bytes + ENTRY_BYTES <= rules.bucket_bytes
            ):
                mask |= 1 << probe
                added[key] = more + 1
                bucket_added[bucket] = more_bytes + ENTRY_BYTES
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
                shown = Candidate(int(slots[ahead]), representative, first)
                self.later.setdefault(other, []).append(shown)

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

    def join(self, number: int, page: PageView, found: list[tuple[Candidate, tuple[int, ...]]]) -> Decision:
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

    def join_plainly(
        self, page: PageView, representative: int, slots: int, alike: tuple[int, int]
    ) -> Decision:
        """Let a page that `plain_joins` named join its cluster."""
        path = self.paths[representative]
        cluster = path[-1]
        decision = Decision(page.offset, JOINED, cluster, representative, slots, 0, 0, *alike, path[:-1])
        further = self.view.heads[path[0]].further
        if representative in further:
            further[representative] += 1
        if page.links:
            self.count_links(page, decision)
        for identity in path:
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
        domain = page.domain
        shard = domain % view.shards
        known = view.domains.get(domain)
        sums = (0, 0, 0)
        if known is not None and is_alive(known[1], view.clocks[shard], self.rules.domain_lifetime_seconds):
            sums = view.host_sums.get(domain, sums)
        if page.fake != (0, 0, 0):
            one, two, three = map(int.__add__, sums, page.fake)
            sums = (min(one, MAX_SUM), min(two, MAX_SUM), min(three, MAX_SUM))
        decision.host = view.host_sums[domain] = sums
        clock = view.clocks[shard] = max(view.clocks[shard], page.at)
        view.domains[domain] = (decision.cluster, clock)


def decide_batch(view: BatchView, rules: ClusterRules) -> list[Decision]:
    """Return the decisions for the first pages of a batch, at least one; the rest must be looked up again."""
    run = Deciding(view, rules)
    plain = run.plain_joins()
    names, slots = view.matches.names.tolist(), view.matches.slots.tolist()
    alike = _alike_to_best(view, [names[place] if place >= 0 else 0 for place in plain])
    decisions: list[Decision] = []
    for number, (page, place) in enumerate(zip(view.pages, plain, strict=True)):
        if page.excluded is not None:
            decisions.append(Decision(page.offset, page.excluded))
            continue
        if place >= 0 and number not in run.later and names[place] not in run.gone:
            decision = run.join_plainly(page, names[place], slots[place], alike[number])
        elif (closely := _decide_closely(run, number, page)) is not None:
            decision = closely
        else:
            break
        run.note_domain(page, decision)
        decisions.append(decision)
        if decision.merges:
            break
    return decisions


def _decide_closely(run: Deciding, number: int, page: PageView) -> Decision | None:
    """Decide a page that may do anything; None when it must be looked up again."""
    found = run.usable(number)
    if found is None:
        return None
    try:
        return run.join(number, page, found) if found else run.open(number, page)
    except LookUpAgain:
        return None


def _alike_to_best(view: BatchView, names: list[int]) -> list[tuple[int, int]]:
    """Return likeness of text (equal and filled parts) of pages to these representatives (0: none)."""
    texts = [view.text_of(name) if name else b"" for name in names]
    return alike_parts_many([page.text for page in view.pages], texts)
