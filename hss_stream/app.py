"""Composition: settings in, a stream with its store out."""

from concurrent.futures import Executor
from dataclasses import dataclass

from hss_stream.errors import StoreError
from hss_stream.observe import log
from hss_stream.observe.metrics import Metrics
from hss_stream.settings import Settings
from hss_stream.steps.apply_label import ApplyLabels
from hss_stream.steps.judge_nameservers import JudgeNameservers
from hss_stream.steps.judge_pages import TEXT_RULES, build_judge
from hss_stream.steps.note_sites import NoteSites
from hss_stream.steps.place_mail import build_mail_judge
from hss_stream.steps.read_signals import read_signals
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.store.open_store import make_store
from hss_stream.store.page_marks import MemoryPageMarks, Partition
from hss_stream.store.provider_store import ProviderStore
from hss_stream.store.redis_page_marks import RedisPageMarks
from hss_stream.store.redis_store import RedisClusterStore
from hss_stream.store.server_facts import read_facts
from hss_stream.store.spaces import sibling_providers, sibling_store
from hss_stream.stream.label_step import LabelStep
from hss_stream.stream.mail_step import MailStep
from hss_stream.stream.memory_log import MemoryLog
from hss_stream.stream.place_step import PlaceStep
from hss_stream.stream.record_stream import RecordStream, StreamSetup, create_stream
from hss_stream.stream.resolver import NameserverResolver
from hss_stream.stream.site_step import SiteStep
from hss_stream.stream.step import RecordMarks, RecordStep
from hss_stream.stream.topics import Topics
from hss_stream.verdicts.cluster_id import MAIL, SPACES, STYLE, TEXT

# A worker waits for the store itself; a call that waits longer hides from `/readyz` that it is away.
AWAY_SECONDS = 3.0


@dataclass(frozen=True)
class StreamWorker:
    """A stream and the store it writes to."""

    stream: RecordStream
    store: ClusterStore
    metrics: Metrics
    providers: ProviderStore | None = None

    async def ask_store(self) -> None:
        """Ask the store how it is, and tell the metrics; StoreError when it does not answer."""
        if isinstance(self.store, RedisClusterStore):
            facts = await read_facts(self.store.wire)
            self.metrics.index_is(facts.keys, facts.used_bytes)
        if self.providers is not None:
            self.metrics.providers_are(await self.providers.count_states())


def stream_setup(settings: Settings) -> StreamSetup:
    """Return where and how a stream of these settings runs."""
    topics = Topics(settings.topic_prefix)
    return StreamSetup(settings.group, settings.broker, topics, settings.kafka, settings.worker)


async def open_lasting_store(settings: Settings) -> RedisClusterStore:
    """Open the store of a worker; StoreError when it must not be used for one."""
    settings.require_lasting_store()
    store = make_store(
        settings.redis, prefix=settings.store.prefix, shards=settings.store.shards, away_seconds=AWAY_SECONDS
    )
    if not isinstance(store, RedisClusterStore):
        raise StoreError(
            "opening the store: HSS_REDIS names a store that does not last; set redis://host:port"
        )
    await store.open()
    facts = await read_facts(store.wire)
    if facts.may_evict:
        await store.close()
        raise StoreError(
            f"opening the store: its maxmemory-policy is {facts.policy}, which silently forgets clusters; "
            "set it to noeviction"
        )
    if not facts.appends:
        log.warn("store_does_not_append", advice="set appendonly yes, or a crash of the store loses pages")
    return store


async def open_text_store(store: ClusterStore) -> ClusterStore:
    """Open the store of the text space beside an open one."""
    return await _open_beside(store, TEXT)


async def open_mail_store(store: ClusterStore) -> ClusterStore:
    """Open the store of the mail space beside an open one."""
    return await _open_beside(store, MAIL)


async def _open_beside(store: ClusterStore, space: str) -> ClusterStore:
    other = sibling_store(store, SPACES[space], TEXT_RULES)
    await other.open()
    return other


async def open_providers(store: ClusterStore) -> ProviderStore:
    """Open the store of name-server providers beside an open one."""
    providers = sibling_providers(store)
    await providers.open()
    return providers


def make_marks(store: ClusterStore, group: str) -> RecordMarks:
    """Return the marks that live beside a store."""
    if not isinstance(store, RedisClusterStore):
        return MemoryPageMarks()

    async def source_of(partition: Partition, incarnation: str) -> int:
        return await store.source_number(group, *partition, incarnation)

    return RedisPageMarks(store.wire, store.keys, source_of)


def create_worker(
    settings: Settings,
    store: ClusterStore,
    executor: Executor,
    memory_log: MemoryLog | None = None,
    texts: ClusterStore | None = None,
    providers: ProviderStore | None = None,
    mails: ClusterStore | None = None,
) -> StreamWorker:
    """Return a worker on open stores of the spaces; with a log, on the embedded broker.

    Without a store of the text or mail space that space is not kept, and messages are left alone; without one
    of providers their records are neither made nor read.
    """
    metrics = Metrics()
    threads = settings.worker.scan_threads
    rules, lists = settings.verdict.to_rules(), settings.verdict.to_lists()
    asks = settings.worker.resolve_nameservers
    resolve = NameserverResolver(settings.worker.resolve_seconds) if asks else None
    sites = None if providers is None else NoteSites(providers, resolve)
    read_text = read_signals if settings.worker.signals == "all" else None
    judge = build_judge(
        store, texts, executor=executor, rules=rules, lists=lists, sites=sites, read_text=read_text
    )
    setup = stream_setup(settings)
    # One line a topic; docs/architecture.md says how to add one.
    steps: dict[str, RecordStep] = {
        setup.topics.pages: PlaceStep(judge, settings.group, executor, threads),
    }
    if providers is not None:
        judge_sites = JudgeNameservers(providers, executor=executor, quorum=settings.verdict.quorum)
        steps[setup.topics.sites] = SiteStep(judge_sites, settings.group, metrics)
    spaces = {STYLE: store} | ({} if texts is None else {TEXT: texts})
    if mails is not None:
        spaces[MAIL] = mails
        campaigns = build_mail_judge(store, mails, executor=executor, rules=rules, lists=lists)
        steps[setup.topics.mail] = MailStep(campaigns, settings.group, executor, threads)
    labels = ApplyLabels(spaces, rules, settings.verdict.quorum, providers)
    steps[setup.topics.labels] = LabelStep(labels, settings.group, metrics)
    stream = create_stream(setup, steps, make_marks(store, settings.group), metrics, memory_log)
    return StreamWorker(stream, store, metrics, providers)
