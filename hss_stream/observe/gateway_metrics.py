"""The gateway's metrics, spelled once and used through verbs; several processes add up.

With `PROMETHEUS_MULTIPROC_DIR` set before the program starts, every process keeps its values in files of
that folder, and any of them answers with the sum over all.
"""

import os
from bisect import bisect_left
from typing import Any, Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"

Limit = Literal["connections", "headers_time", "body_bytes", "body_time", "queue", "rate", "bad_token"]
CacheOutcome = Literal["hit", "miss"]

_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class GatewayMetrics:
    """The metrics of one gateway process, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        own = self.registry
        self._lookups = Counter(
            "hss_lookups_total", "Look-ups answered, by kind and verdict.", ["kind", "verdict"], registry=own
        )
        self._requests = Counter(
            "hss_gateway_requests_total", "Requests answered, by route and status.", ["route", "status"],
            registry=own,
        )  # fmt: skip
        self._seconds = Histogram(
            "hss_gateway_request_seconds", "From the headers of a request to its answer, by route.",
            ["route"], buckets=_SECONDS, registry=own,
        )  # fmt: skip
        self._cache = Counter(
            "hss_gateway_cache_total", "Names looked for among the kept answers, by outcome.", ["outcome"],
            registry=own,
        )  # fmt: skip
        self._limits = Counter(
            "hss_gateway_limits_total", "Requests and connections refused, by limit.", ["limit"], registry=own
        )
        self._degraded = Counter(
            "hss_gateway_degraded_total", "Answers given without the store, by kind.", ["kind"], registry=own
        )
        self._connections = Gauge(
            "hss_gateway_connections", "Connections open.", registry=own, multiprocess_mode="livesum"
        )
        self._breaker = Gauge(
            "hss_gateway_store_away", "Processes that leave the store alone because it failed.",
            registry=own, multiprocess_mode="livesum",
        )  # fmt: skip
        # Prometheus' client takes locks and builds keys at every step: it gets everything in bundles.
        self._counts: dict[tuple[Any, ...], int] = {}
        self._kept: dict[tuple[str, str, str], int] = {}
        self._times: dict[str, _Times] = {}

    def request_done(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._count(self._requests, route, status)
        self._time(route, seconds)

    def kept_answer_sent(self, route: str, kind: str, verdict: str, seconds: float) -> None:
        """Count a request that a kept answer served: all that the other verbs would count, in one."""
        key = (route, kind, verdict)
        self._kept[key] = self._kept.get(key, 0) + 1
        self._time(route, seconds)

    def lookup_done(self, kind: str, verdict: str, *, degraded: bool) -> None:
        """Count what was said about a subject."""
        self._count(self._lookups, kind, verdict)
        if degraded:
            self._count(self._degraded, kind)

    def cache_asked(self, outcome: CacheOutcome) -> None:
        """Count a look among the kept answers."""
        self._count(self._cache, outcome)

    def limit_hit(self, limit: Limit) -> None:
        """Count a refusal."""
        self._count(self._limits, limit)

    def connections_are(self, count: int) -> None:
        """Set the number of open connections."""
        self._connections.set(count)

    def store_is_away(self, *, away: bool) -> None:
        """Set whether this process leaves the store alone."""
        self._breaker.set(int(away))

    def to_text(self) -> bytes:
        """Return the exposition: of all processes together where there are several."""
        self.flush()
        registry = self.registry
        if folder := os.environ.get(MULTIPROCESS):
            registry = CollectorRegistry()
            MultiProcessCollector(registry, path=folder)  # type: ignore[no-untyped-call] # its types are half
        return generate_latest(registry)

    def flush(self) -> None:
        """Hand the counts over to Prometheus' client, which takes a lock for each."""
        for (route, kind, verdict), count in self._kept.items():
            self._count(self._requests, route, 200, count=count)
            self._count(self._lookups, kind, verdict, count=count)
            self._count(self._cache, "hit", count=count)
        self._kept.clear()
        counts, self._counts = self._counts, {}
        for (family, *labels), count in counts.items():
            family.labels(*labels).inc(count)
        times, self._times = self._times, {}
        for route, some in times.items():
            some.add_to(self._seconds.labels(route))

    def _count(self, *key: Any, count: int = 1) -> None:
        self._counts[key] = self._counts.get(key, 0) + count

    def _time(self, route: str, seconds: float) -> None:
        times = self._times.get(route)
        if times is None:
            times = self._times[route] = _Times()
        times.counts[bisect_left(_SECONDS, seconds)] += 1
        times.total += seconds


class _Times:
    """Times not handed over yet: how many in each bucket, and their sum."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(_SECONDS) + 1)
        self.total = 0.0

    def add_to(self, histogram: Histogram) -> None:
        """Add them to a histogram, whose own verb takes one at a time; a test compares the two."""
        for number, count in enumerate(self.counts):
            if count:
                histogram._buckets[number].inc(count)  # noqa: SLF001 - see above
        histogram._sum.inc(self.total)  # noqa: SLF001 - see above
