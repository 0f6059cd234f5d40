"""Every metric, spelled once and used through verbs.

Base units, `_total` for counters, and labels from closed sets only: never a URL, a domain or a
cluster id. docs/metrics.md is written from this file.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

Stage = Literal["mark", "read", "place", "send"]
Cause = Literal["store", "kafka", "page"]
Kind = Literal["page", "mail", "label", "site"]
StoreCall = Literal["load", "mark", "pin_letter", "trim", "ping"]

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_PAGES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Metrics:
    """The metrics of one process, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._define_pages()
        self._define_verdicts()
        self._define_stream()
        self._define_store()
        self._define_providers()

    def _define_pages(self) -> None:
        own = self.registry
        self._pages = Counter("hss_pages_total", "Pages done, by outcome.", ["outcome"], registry=own)
        self._records = Counter(
            "hss_records_total",
            "Records done of topics other than pages, by kind and outcome.",
            ["kind", "outcome"],
            registry=own,
        )
        self._letters = Counter(
            "hss_dead_letters_total", "Dead letters sent, by reason.", ["reason"], registry=own
        )
        self._batch_pages = Histogram("hss_batch_pages", "Pages in a batch.", buckets=_PAGES, registry=own)
        self._batch = Histogram(
            "hss_batch_seconds", "From taking a batch to its acknowledgement.", buckets=_SECONDS, registry=own
        )
        self._stage = Histogram(
            "hss_stage_seconds", "Parts of a batch, by stage.", ["stage"], buckets=_SECONDS, registry=own
        )
        self._delay = Histogram(
            "hss_page_delay_seconds",
            "From a page's arrival in Kafka to the acknowledgement of its events.",
            buckets=(*_SECONDS, 60.0, 300.0, 3600.0),
            registry=own,
        )

    def _define_verdicts(self) -> None:
        own = self.registry
        self._changes = Counter(
            "hss_cluster_changes_total",
            "Changes of clusters, by space, change, and class and label after; alive are those opened less "
            "those merged and expired.",
            ["space", "change", "class", "label"],
            registry=own,
        )
        self._verdicts = Counter(
            "hss_verdicts_total",
            "Verdicts on pages and messages, by kind.",
            ["kind", "verdict"],
            registry=own,
        )
        self._alerts = Counter(
            "hss_alerts_total",
            "Alerts sent, by subject, severity and the weightiest reason.",
            ["subject", "severity", "reason"],
            registry=own,
        )
        self._labels = Counter(
            "hss_labels_total",
            "Labels read, by role and what became of them.",
            ["role", "outcome"],
            registry=own,
        )

    def _define_stream(self) -> None:
        own = self.registry
        self._lag = Gauge(
            "hss_consumer_lag_records", "Records not committed yet.", ["topic", "partition"], registry=own
        )
        self._full = Counter(
            "hss_buffer_full_total", "Fetches held back because the buffer was full.", registry=own
        )
        self._retries = Counter("hss_retries_total", "Tries repeated, by cause.", ["cause"], registry=own)
        self._rebalances = Counter("hss_rebalances_total", "Assignments of partitions.", registry=own)
        self._pause = Histogram(
            "hss_rebalance_seconds", "From losing partitions to having some.", buckets=_SECONDS, registry=own
        )
        self._assigned = Gauge("hss_assigned_partitions", "Partitions this worker owns.", registry=own)
        self._ready = Gauge("hss_ready", "1 while the worker is ready.", registry=own)

    def _define_store(self) -> None:
        own = self.registry
        self._store = Histogram(
            "hss_store_seconds", "Calls of the store, by call.", ["call"], buckets=_SECONDS, registry=own
        )
        self._index_keys = Gauge("hss_index_keys", "Keys the store holds.", registry=own)
        self._index_bytes = Gauge("hss_index_bytes", "Memory the store uses.", registry=own)
        self._went_back = Counter(
            "hss_store_went_back_total",
            "Partitions found behind their committed offset in the store.",
            registry=own,
        )
        self._reapplied = Counter(
            "hss_reapplied_records_total", "Records read again because the store went back.", registry=own
        )

    def _define_providers(self) -> None:
        own = self.registry
        self._providers = Gauge("hss_providers", "Providers known, by state.", ["state"], registry=own)
        self._provider_changes = Counter(
            "hss_provider_changes_total", "Changes of providers, by the state they came to.", ["state"],
            registry=own,
        )  # fmt: skip
        self._distance_calls = Counter(
            "hss_structure_distance_calls_total",
            "Distances between tag structures, by the last function needed (R, F or D).",
            ["function"],
            registry=own,
        )

    def providers_are(self, counts: Mapping[str, int]) -> None:
        """Set how many providers are in each state."""
        for state, count in counts.items():
            self._providers.labels(state).set(count)

    def providers_judged(self, states: Mapping[str, int], calls: Mapping[str, int]) -> None:
        """Count changes of providers, and the distances it took to find them."""
        for state, count in states.items():
            self._provider_changes.labels(state).inc(count)
        for function, count in calls.items():
            self._distance_calls.labels(function).inc(count)

    def record_done(self, kind: Kind, outcome: str, delay_seconds: float) -> None:
        """Count a record, and of a page how long it took since Kafka got it."""
        if kind != "page":
            self._records.labels(kind, outcome).inc()
            return
        self._pages.labels(outcome).inc()
        self._delay.observe(max(delay_seconds, 0.0))

    def event_sent(self, event: Mapping[str, Any]) -> None:
        """Count an event that Kafka has: a verdict, a change of a cluster, an alert."""
        match event["event"]:
            case "attachment":
                self._verdicts.labels(event.get("kind", "page"), event.get("verdict") or "unknown").inc()
            case "cluster":
                kind, label = event["class"] or "none", event["label"] or "none"
                self._changes.labels(event["space"], event["change"], kind, label).inc()
            case "alert":
                reason = event["reasons"][0]["name"] if event["reasons"] else "none"
                self._alerts.labels(event["subject"], event["severity"], reason).inc()

    def label_done(self, role: str, outcome: str) -> None:
        """Count a label."""
        self._labels.labels(role, outcome).inc()

    def letter_sent(self, reason: str) -> None:
        """Count a dead letter."""
        self._letters.labels(reason).inc()

    def batch_done(self, pages: int, seconds: float) -> None:
        """Note a batch."""
        self._batch_pages.observe(pages)
        self._batch.observe(seconds)

    @contextmanager
    def stage(self, stage: Stage) -> Iterator[None]:
        """Time a stage of a batch."""
        start = perf_counter()
        yield
        self._stage.labels(stage).observe(perf_counter() - start)

    @contextmanager
    def store_call(self, call: StoreCall) -> Iterator[None]:
        """Time a call of the store that succeeds."""
        start = perf_counter()
        yield
        self._store.labels(call).observe(perf_counter() - start)

    def tried_again(self, cause: Cause) -> None:
        """Count a try that has to be repeated."""
        self._retries.labels(cause).inc()

    def buffer_was_full(self) -> None:
        """Count a fetch that waited for room."""
        self._full.inc()

    def lag_is(self, lag: Mapping[tuple[str, int], int]) -> None:
        """Set the lag of each owned partition and forget those of others."""
        self._lag.clear()
        for (topic, partition), records in lag.items():
            self._lag.labels(topic, str(partition)).set(records)

    def partitions_assigned(self, count: int, pause_seconds: float) -> None:
        """Note an assignment and the pause before it."""
        self._rebalances.inc()
        self._assigned.set(count)
        self._pause.observe(pause_seconds)

    def store_went_back(self, records: int) -> None:
        """Count a partition that has to be read again."""
        self._went_back.inc()
        self._reapplied.inc(records)

    def index_is(self, keys: int, used_bytes: int) -> None:
        """Set the size of the index."""
        self._index_keys.set(keys)
        self._index_bytes.set(used_bytes)

    def ready_is(self, *, ready: bool) -> None:
        """Set whether the worker is ready."""
        self._ready.set(1 if ready else 0)

    def lines(self) -> list[tuple[str, str, str, str]]:
        """Return name, type, labels and help of each metric, for the docs."""
        found = []
        for collector in self._own():
            family = next(iter(collector.collect()))
            labels = ", ".join(getattr(collector, "_labelnames", ()))
            suffix = "_total" if family.type == "counter" else ""
            found.append((family.name + suffix, family.type, labels, family.documentation))
        return found

    def _own(self) -> list[Counter | Gauge | Histogram]:
        return [value for value in vars(self).values() if isinstance(value, Counter | Gauge | Histogram)]
