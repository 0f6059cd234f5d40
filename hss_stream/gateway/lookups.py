"""Look-ups with a time budget: the steps, and what is said when the store is away.

A look-up that the store does not answer in time, or at all, is answered with `unknown` and
`"degraded": true`: the mail goes on. After a few failures in a row the store is not asked for a moment.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from time import monotonic
from typing import Generic, NamedTuple, TypeVar

from hss_stream.errors import StoreError
from hss_stream.gateway.breaker import Breaker
from hss_stream.gateway.gathered_reads import GatheredProviders, GatheredReads, set_deadline
from hss_stream.steps.judge_pages import TEXT_RULES
from hss_stream.steps.look_up_cluster import FoundCluster
from hss_stream.steps.look_up_mail import LookUpMail, ReadMail, read_mail
from hss_stream.steps.look_up_nameserver import LookUpNameserver, NameVerdict
from hss_stream.steps.look_up_page import UNKNOWN, LookUpPage, ReadPage, SubjectVerdict, read_page
from hss_stream.steps.look_up_space import LookUpSpace
from hss_stream.steps.look_up_url import LookUpUrl, UrlVerdict
from hss_stream.steps.page_verdict import AllowLists
from hss_stream.steps.provider_names import provider_of
from hss_stream.steps.scan_page import domain_of_url
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.store.memory_providers import MemoryProviderStore
from hss_stream.store.provider_store import ProviderStore
from hss_stream.verdicts.alert import AlertRules
from hss_stream.verdicts.cluster_id import MAIL, STYLE, TEXT
from hss_stream.verdicts.cluster_rules import ClusterRules

Found = TypeVar("Found")

# Bodies from this size on are read in a thread: the kernels release the GIL, and others need not wait.
THREAD_BYTES = 128 * 1024


def _nothing() -> SubjectVerdict:
    return SubjectVerdict(UNKNOWN)


class Looked(NamedTuple, Generic[Found]):
    """What a look-up found; `degraded` when the store could not be asked."""

    found: Found
    degraded: bool


@dataclass(frozen=True)
class SpaceStores:
    """The store of each space; None where it is not kept."""

    style: ClusterStore
    text: ClusterStore | None = None
    mail: ClusterStore | None = None
    providers: ProviderStore | None = None

    def all(self) -> list[ClusterStore | ProviderStore]:
        """Return those that are kept."""
        return [one for one in (self.style, self.text, self.mail, self.providers) if one is not None]


class LookUps:
    """All look-ups of one process."""

    def __init__(
        self,
        stores: SpaceStores,
        *,
        breaker: Breaker,
        budget_seconds: float,
        alert_rules: AlertRules | None = None,
        lists: AllowLists | None = None,
        executor: Executor | None = None,
    ) -> None:
        alert_rules = alert_rules or AlertRules()

        def gathered(store: ClusterStore) -> GatheredReads:
            return GatheredReads(store, budget_seconds, getattr(store, "keys", None))

        self._reads = gathered(stores.style)
        style = LookUpSpace(self._reads, ClusterRules(), STYLE)
        text = None if stores.text is None else LookUpSpace(gathered(stores.text), TEXT_RULES, TEXT)
        campaigns = None if stores.mail is None else LookUpSpace(gathered(stores.mail), TEXT_RULES, MAIL)
        self.breaker = breaker
        self._spaces = {space.space: space for space in (style, text, campaigns) if space is not None}
        self._budget_seconds = budget_seconds
        self._executor = executor
        self._url = LookUpUrl(style, alert_rules, lists)
        providers = stores.providers or MemoryProviderStore()
        self._name = LookUpNameserver(GatheredProviders(providers, budget_seconds))
        self._page = LookUpPage(style, text, alert_rules, lists)
        self._mail = LookUpMail(campaigns, style, self._url, alert_rules, lists)

    async def mail(self, raw: bytes) -> tuple[ReadMail, Looked[SubjectVerdict]]:
        """Look a message up."""
        mail = await self._read(len(raw), lambda: read_mail(raw))
        return mail, await self._ask(lambda: self._mail(mail), _nothing)

    async def page(
        self, body: bytes, content_type: str | None, url: str, nameservers: Sequence[str] = ()
    ) -> tuple[ReadPage, Looked[SubjectVerdict]]:
        """Look a page up; its name servers are those of its domain."""
        page = await self._read(len(body), lambda: read_page(body, content_type, url))

        async def ask() -> SubjectVerdict:
            return await self._page(page, await self._name.spam_provider(nameservers))

        return page, await self._ask(ask, _nothing)

    async def url(self, url: str) -> Looked[UrlVerdict]:
        """Look a URL up."""
        return await self._ask(
            lambda: self._url(url), lambda: UrlVerdict(_nothing(), domain_of_url(url), None)
        )

    async def name(self, name: str) -> Looked[NameVerdict]:
        """Look a name server up."""
        return await self._ask(lambda: self._name(name), lambda: NameVerdict(provider_of(name)))

    async def cluster(self, space: str, identity: int) -> Looked[FoundCluster | None]:
        """Look a cluster up."""
        place = self._spaces.get(space)
        return (
            Looked(None, degraded=False)
            if place is None
            else await self._ask(lambda: place.cluster(identity), lambda: None)
        )

    async def ping(self) -> bool:
        """Ask the store for a sign of life; feeds the breaker, so that recovery needs no traffic."""
        looked = await self._ask(self._reads.refresh_clocks, lambda: None)
        return not looked.degraded

    async def _read(self, size: int, read: Callable[[], Found]) -> Found:
        if size < THREAD_BYTES:
            return read()
        return await asyncio.get_running_loop().run_in_executor(self._executor, read)

    async def _ask(
        self, ask: Callable[[], Awaitable[Found]], otherwise: Callable[[], Found]
    ) -> Looked[Found]:
        """Return what the store says within the budget, or what is said otherwise."""
        now = monotonic()
        if not self.breaker.may_call(now):
            return Looked(otherwise(), degraded=True)
        set_deadline(now + self._budget_seconds)
        try:
            found = await ask()
        except (StoreError, TimeoutError):
            self.breaker.failed(monotonic())
            return Looked(otherwise(), degraded=True)
        self.breaker.succeeded()
        return Looked(found, degraded=False)
