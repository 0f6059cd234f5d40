"""The events of a placed page: its attachment, and what it changed about clusters.

A function of the page, its pinned decision and what applying it showed; all three are the same when the
page is delivered again.
"""

from collections.abc import Iterator

from hss_stream.steps.apply_pins import Applied
from hss_stream.steps.events import Event, Origin, make_event
from hss_stream.steps.pins import PinnedPage
from hss_stream.steps.scan_page import ScannedPage
from hss_stream.store.cluster_store import ExpiredCluster
from hss_stream.store.effects import Joined, Linked
from hss_stream.verdicts.cluster_class import CLASS_NAMES, SLOTS, mean_similarity
from hss_stream.verdicts.cluster_id import SPACES, STYLE, to_text
from hss_stream.verdicts.placing import OPENED, OUTCOMES

LABELS: tuple[str | None, ...] = (None, "spam", "ham")
SPAM, HAM = 1, 2


def page_events(page: ScannedPage, pinned: PinnedPage, applied: Applied) -> Iterator[Event]:
    """Yield the events of one page, in a fixed order."""
    yield attachment_event(page, pinned, applied.joined)
    yield from cluster_events(page, pinned, applied, STYLE)


def cluster_events(page: ScannedPage, pinned: PinnedPage, applied: Applied, space: str) -> Iterator[Event]:
    """Yield what a page changed about the clusters of a space."""
    decision, joined = pinned.decision, applied.joined
    if joined is None:
        return
    if decision.outcome == OPENED:
        yield cluster_event(page, space, decision.cluster, "opened", joined, page.url)
    for merged, linked in applied.links:
        yield cluster_event(page, space, merged, "merged", linked, linked.prototype, linked.into)
    after = applied.after_merge or joined
    if after.label_before != after.label:
        yield cluster_event(page, space, decision.cluster, "label", after, after.prototype)
    words = {joined.label, *(linked.label for _, linked in applied.links)}
    if {SPAM, HAM} <= words:
        yield cluster_event(page, space, decision.cluster, "label_conflict", after, after.prototype)
    if after.class_after != joined.class_before:
        yield cluster_event(page, space, decision.cluster, "class", after, after.prototype)
    if applied.after_merge is not None:
        yield cluster_event(page, space, decision.cluster, "current", after, after.prototype)


def attachment_event(page: ScannedPage, pinned: PinnedPage, joined: Joined | None) -> Event:
    """Return the event that says where a page went."""
    decision = pinned.decision
    matched = bool(pinned.decision.representative) and decision.outcome != OPENED
    # A cluster that was folded between decision and effect answers with its survivor at once.
    cluster = joined.into if joined is not None and joined.into else decision.cluster
    return make_event(
        "attachment",
        page.origin,
        page.at_ms,
        page.page_url,
        "",
        page.page_url,
        url=page.page_url,
        domain=page.domain,
        kind="page",
        outcome=OUTCOMES[decision.outcome],
        cluster=to_text(STYLE, cluster) if cluster else None,
        text_outcome=None,
        style_cluster=None,
        matching_slots=decision.slots if matched else None,
        slots=SLOTS if matched else None,
        representative=readable(pinned.representative_url) if matched else None,
        text_cluster=None,
        imatch=None,
        faketext=None,
        verdict=None,
        score=None,
        reasons=None,
    )


def cluster_event(
    page: ScannedPage,
    space: str,
    cluster: int,
    change: str,
    shown: Joined | Linked,
    prototype: bytes,
    into: int = 0,
) -> Event:
    """Return the event that says what became of a cluster through a page."""
    return _cluster_event(page.origin, page.at_ms, space, cluster, change, shown, prototype, into)


def cluster_change(origin: Origin, at_ms: int, space: str, cluster: int, change: str, shown: Joined) -> Event:
    """Return the event that says what became of a cluster through anything but a page."""
    return _cluster_event(origin, at_ms, space, cluster, change, shown, shown.prototype, 0)


def expired_event(shard: int, expired: ExpiredCluster) -> Event:
    """Return the event for a cluster past its life time; for a merged id that is a tombstone alone."""
    name = to_text(expired.space, expired.cluster)
    if expired.record.into:
        return Event("cluster", name, None)
    record = expired.record
    origin = Origin("timer:cluster", name, shard, expired.due * 1000)
    shown = Joined(
        record.pages, record.domains, record.similarity_sum, record.revision + 1, record.kind, record.kind,
        record.label, 0,
    )  # fmt: skip
    return _cluster_event(
        origin, expired.due * 1000, expired.space, expired.cluster, "expired", shown, expired.prototype, 0
    )


def _cluster_event(
    origin: Origin, at_ms: int, space: str, cluster: int, change: str, shown: Joined | Linked,
    prototype: bytes, into: int,
) -> Event:  # fmt: skip
    name = to_text(space, cluster)
    return make_event(
        "cluster",
        origin,
        at_ms,
        name,
        change,
        name,
        cluster=name,
        space=SPACES[space],
        revision=shown.revision,
        change=change,
        into=to_text(space, into) if into else None,
        pages=shown.pages,
        domains=shown.domains,
        mean_similarity=round(mean_similarity(shown.similarity_sum, shown.pages), 6),
        **{"class": CLASS_NAMES[shown.class_after] if space == STYLE else None},
        label=LABELS[shown.label],
        prototype=readable(prototype),
    )


def readable(url: bytes) -> str | None:
    """Return a stored URL as text; None when it is gone."""
    return url.decode("utf-8", "replace") if url else None
