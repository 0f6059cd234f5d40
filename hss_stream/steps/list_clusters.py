"""List the clusters of a space for reports: never while placing pages, because it reads everything.

A row is what `replay` and `clusters list` print of a cluster, by falling mean similarity x domains.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from hss_stream.steps.page_events import LABELS, readable
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.verdicts.cluster_class import CLASS_NAMES, mean_similarity, rank
from hss_stream.verdicts.cluster_id import SPACES, STYLE, to_text

BATCH_ROWS = 512


class SummaryRow(NamedTuple):
    """A cluster as a report shows it; `order` sorts rows of several spaces."""

    order: tuple[float, str, int]
    space: str
    cluster: int
    fields: dict[str, Any]


class Summaries(NamedTuple):
    """Living clusters of a space, and where its merged ids lead."""

    rows: list[SummaryRow]
    merged: dict[int, int]


async def list_summaries(store: ClusterStore, space: str) -> Summaries:
    """Return all clusters of a space, in no order."""
    rows: list[SummaryRow] = []
    merged: dict[int, int] = {}
    async for cluster, record in store.list_clusters(space):
        if record.into:
            merged[cluster] = record.into
            continue
        similarity = mean_similarity(record.similarity_sum, record.pages)
        fields = {
            "cluster": to_text(space, cluster),
            "space": SPACES[space],
            "pages": record.pages,
            "domains": record.domains,
            "mean_similarity": round(similarity, 6),
            "class": CLASS_NAMES[record.kind] if space == STYLE else None,
            "label": LABELS[record.label],
        }
        order = (-rank(similarity, record.domains), space, cluster)
        rows.append(SummaryRow(order, space, cluster, fields))
    return Summaries(rows, merged)


async def with_prototypes(
    rows: Sequence[SummaryRow], stores: Mapping[str, ClusterStore]
) -> AsyncIterator[dict[str, Any]]:
    """Yield the fields of rows with the URL of each prototype."""
    waiting = iter(rows)
    while some := list(islice(waiting, BATCH_ROWS)):
        urls: dict[tuple[str, int], str | None] = {}
        for space, store in stores.items():
            names = [row.cluster for row in some if row.space == space]
            records = await store.read_representatives(names) if names else []
            for name, record in zip(names, records, strict=True):
                urls[space, name] = None if record is None else readable(record.url)
        for row in some:
            yield {**row.fields, "prototype": urls[row.space, row.cluster]}
