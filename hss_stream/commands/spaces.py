"""The stores of all spaces, opened together for commands that look at or label clusters."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from hss_stream.commands.output import AWAY_SECONDS
from hss_stream.settings import Settings
from hss_stream.steps.judge_pages import TEXT_RULES
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.store.open_store import make_store
from hss_stream.store.spaces import sibling_store
from hss_stream.verdicts.cluster_id import MAIL, SPACES, STYLE, TEXT


@asynccontextmanager
async def open_spaces(settings: Settings, address: str | None) -> AsyncIterator[dict[str, ClusterStore]]:
    """Open the stores of all spaces, by letter; without an address those that workers use."""
    if address is None:
        settings.require_lasting_store()
    own, url = settings.store, address or settings.redis
    style = make_store(url, prefix=own.prefix, shards=own.shards, away_seconds=AWAY_SECONDS)
    stores = {STYLE: style}
    stores |= {space: sibling_store(style, SPACES[space], TEXT_RULES) for space in (TEXT, MAIL)}
    try:
        for store in stores.values():
            await store.open()
        yield stores
    finally:
        for store in reversed(stores.values()):
            await store.close()
