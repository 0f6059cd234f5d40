"""List providers: what the store knows of each, as its last event said."""

from collections.abc import AsyncIterator
from typing import Any

from hss_stream.steps.look_up_nameserver import shown_provider
from hss_stream.store.provider_store import ProviderStore

ORDER = ("spam", "watch", "clean", "too_few")


async def list_providers(
    store: ProviderStore, state: str | None = None, label: str | None = None
) -> list[dict[str, Any]]:
    """Return providers of a state and label, the listed ones first, then by number of sites."""
    rows = [
        row
        async for row in _rows(store)
        if (state is None or row["state"] == state) and (label is None or (row["label"] or "none") == label)
    ]
    return sorted(rows, key=lambda row: (ORDER.index(row["state"]), -(row["sites"] or 0), row["provider"]))


async def _rows(store: ProviderStore) -> AsyncIterator[dict[str, Any]]:
    async for record in store.list_providers():
        yield shown_provider(record)
