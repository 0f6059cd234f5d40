"""The second half of placing pages: turn pinned decisions into effects, and settle merges.

Everything here may be done again after a crash, by anybody, and changes nothing the second time.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from hss_stream.signals.probes import PROBES
from hss_stream.steps.candidates import SketchedPage
from hss_stream.steps.pins import PinnedPage
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.store.effects import (
    Drained,
    Effect,
    IndexAdd,
    IndexRemove,
    Join,
    Joined,
    Linked,
    NoteDomain,
    Represent,
    Touch,
)
from hss_stream.verdicts.cluster_id import STYLE, shard_of
from hss_stream.verdicts.placing import MERGED, OPENED


class AppliedPage(NamedTuple):
    """A page to apply: its sketch, its stored URL, and its pinned decision."""

    page: SketchedPage
    url: bytes
    pinned: PinnedPage


@dataclass(slots=True)
class Applied:
    """What applying a page showed; `links` are the folded clusters, `after_merge` the survivor after."""

    joined: Joined | None = None
    links: list[tuple[int, Linked]] = field(default_factory=list)
    after_merge: Joined | None = None


def effects_of(pages: Sequence[AppliedPage], shards: int, space: str = STYLE) -> dict[int, list[Effect]]:
    """Return the effects of pages by shard, each shard's in offset order; only style notes domains."""
    effects: defaultdict[int, list[Effect]] = defaultdict(list)
    for item in pages:
        page, url, pinned = item
        one = pinned.decision
        cluster, offset, at = one.cluster, page.offset, page.at
        if not cluster:
            continue
        opens = one.outcome == OPENED
        sums = (one.inward, one.links, one.alike, one.parts, one.known, *page.fake)
        hit = 0 if opens else one.representative
        home = effects[shard_of(cluster)]
        home.append(Join(offset, at, space, cluster, one.slots, page.domain, url, hit, sums, opens))
        if one.becomes:
            home.append(
                Represent(offset, at, space, cluster, one.becomes, page.sketch, page.text, url, one.evicted)
            )
            _add_index(effects, item, shards)
        for name in one.path:
            effects[shard_of(name)].append(Touch(offset, at, space, name, one.representative))
        if space == STYLE:
            effects[page.domain % shards].append(
                NoteDomain(offset, at, page.domain, cluster, (*page.fake, 0))
            )
    return effects


def _add_index(effects: defaultdict[int, list[Effect]], item: AppliedPage, shards: int) -> None:
    page, one = item.page, item.pinned.decision
    if item.pinned.evicted_lows:
        for probe, low in enumerate(np.frombuffer(item.pinned.evicted_lows, ">u2").tolist()):
            if low:
                effects[low % shards].append(IndexRemove(page.offset, probe, low, one.evicted))
    words = page.words.tolist()
    for probe in range(PROBES):
        if one.probes >> probe & 1:
            low = words[probe] & 0xFFFF
            effects[low % shards].append(IndexAdd(page.offset, probe, words[probe], one.becomes))


async def apply_pages(
    store: ClusterStore, source: int, pages: Sequence[AppliedPage], space: str = STYLE
) -> list[Applied]:
    """Apply pages whose decisions are pinned; only the last may merge clusters."""
    results = await store.apply(source, effects_of(pages, store.shards, space))
    applied = [Applied(results.get((space, item.page.offset))) for item in pages]
    late = {
        item.pinned.decision.cluster
        for item, one in zip(pages, applied, strict=True)
        if one.joined is not None and one.joined.into
    }
    for cluster in sorted(late):
        await settle(store, space, cluster)
    if pages and pages[-1].pinned.decision.outcome == MERGED:
        await _merge(store, source, pages[-1], applied[-1], space)
    return applied


async def _merge(store: ClusterStore, source: int, item: AppliedPage, applied: Applied, space: str) -> None:
    decision = item.pinned.decision
    for merged in decision.merges:
        one, two = merged, decision.cluster
        while one != two:
            # Somebody may have folded either of them meanwhile: then it is their survivors that are one.
            old, young = sorted((one, two))
            linked = await store.link(source, decision.offset, space, young, old)
            applied.links.append((young, linked))
            note = (source, decision.offset)
            applied.after_merge = await settle_merge(store, space, young, linked.into, note)
            one, two = linked.into, old


async def settle(store: ClusterStore, space: str, merged: int) -> None:
    """Move the counts of a merged cluster to its survivor, and on if that is merged too."""
    while (drained := await store.drain(space, merged)) is not None:
        if drained.payload:
            await store.take(space, merged, drained)
            await store.acknowledge(space, merged, drained.sequence)
        merged = drained.into


async def settle_merge(
    store: ClusterStore, space: str, merged: int, into: int, note: tuple[int, int]
) -> Joined:
    """Settle what a page has just merged; return the survivor's state after, each time the same.

    The merged id may be forgotten when the page comes again: then the answer alone is asked for.
    """
    drained = await store.drain(space, merged) or Drained(into, 0, b"")
    after = await store.take(space, merged, drained, note)
    if drained.payload:
        await store.acknowledge(space, merged, drained.sequence)
    await settle(store, space, into)
    return after
