"""What every store of name-server providers promises: sites are noted once, a provider has one state.

Two writers, who never touch the same key:

    pages    `meet` providers, then `note` which sites they serve: on the domain's shard, fenced by the page's
             offset, so that a page delivered again gets the answer of the first time until it is trimmed
    sites    `read` a provider, judge it outside, `save` it: on the provider's shard; whoever read an older
             version is refused and reads again, so a worker that lost its partition cannot undo anything

`tests/contract/` holds both stores to this page.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from hss_stream.store.provider_records import ProviderRecord

MAX_PROVIDERS = 8
# Silence after which a site or provider is forgotten, seconds of page time.
SITE_LIFETIME_SECONDS = 180 * 86_400


class SiteNote(NamedTuple):
    """A page of a site; `providers` (8-byte names) count for home pages. `blob` is kept with the answer."""

    offset: int
    at: int
    domain: int
    is_home: bool
    providers: tuple[int, ...]
    blob: bytes


class Noted(NamedTuple):
    """What a page's note answered: the providers of the site before it, and the blob of the first time."""

    before: tuple[int, ...]
    blob: bytes


class ProviderHead(NamedTuple):
    """What a page needs of a provider; numbers as in `provider_records.py`."""

    state: int
    label: int


class StoredProvider(NamedTuple):
    """A provider as it was read; `sample` is empty when it has none yet."""

    record: ProviderRecord
    sample: bytes


class MadeEvents(NamedTuple):
    """Events a provider made at an offset, to be sent again should that offset be delivered again."""

    source: int
    offset: int
    events: bytes


class ExpiredProvider(NamedTuple):
    """A provider past its life time; `due` in seconds of page time."""

    due: int
    name: str


class ProviderReads(Protocol):
    """What look-ups need of such a store."""

    async def read_heads(self, providers: Sequence[int]) -> list[ProviderRecord | None]:
        """Return the records of providers, without their samples."""


class ProviderStore(ProviderReads, Protocol):
    """A store of providers and of the sites they serve; names of both are 8-byte hashes."""

    shards: int

    async def open(self) -> None:
        """Make ready; refuses a store made with other settings."""

    async def close(self) -> None:
        """Let go of it."""

    async def source_number(self, group: str, topic: str, partition: int, incarnation: str = "") -> int:
        """Return the number of a source, given once in rising order and never reused."""

    async def meet(self, names: Mapping[int, str], at: int) -> dict[int, ProviderHead]:
        """Return what pages need of providers; unknown ones are known by name from now on."""

    async def note(self, source: int, notes: Sequence[SiteNote]) -> dict[int, Noted]:
        """Note pages, offsets rising; return answers by offset, without those trimmed long ago."""

    async def read_sites(self, domains: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the providers of domains."""

    async def read(self, provider: int) -> StoredProvider | None:
        """Return a provider with its sample."""

    async def save(
        self, provider: int, record: ProviderRecord, sample: bytes, at: int, made: Sequence[MadeEvents]
    ) -> bool:
        """Replace what was read as `record.version`; False when another version is there.

        An empty sample leaves the stored one. The store sets version and time of last use.
        """

    async def made_events(self, provider: int, source: int, offsets: Sequence[int]) -> dict[int, bytes]:
        """Return the events a provider made at offsets, those that were kept."""

    async def reached(self, source: int) -> int:
        """Return the last offset of `hss.sites` that is applied, -1 if none."""

    async def set_reached(self, source: int, offset: int) -> None:
        """Note that everything up to an offset of `hss.sites` is applied."""

    async def trim(self, source: int, committed: int) -> None:
        """Forget answers and events of the offsets below `committed`."""

    async def count_states(self) -> dict[str, int]:
        """Return how many providers are in each state."""

    async def sweep(self, shard: int, limit: int) -> int:
        """Forget sites and providers past their life time; return how many were looked at."""

    async def read_expired(self, shard: int, limit: int) -> list[ExpiredProvider]:
        """Return forgotten providers, oldest first."""

    async def forget_expired(self, shard: int, events: int) -> None:
        """Forget the oldest forgotten providers, whose events are out."""

    def list_providers(self) -> AsyncIterator[ProviderRecord]:
        """Yield every provider, in no order; for reports."""
