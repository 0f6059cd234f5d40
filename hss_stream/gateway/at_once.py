"""Kept answers, sent in the very call that brought the request: no task, no request object, no waiting.

Only those are served here who set no condition, whose token is good and who have permits left. Everything
else goes the longer way (`server.py`), which gives the same answer, or says why not.
"""

from time import monotonic, perf_counter

from aiohttp.http import RawRequestMessage

from hss_stream.gateway.guard import ANONYMOUS, Guard
from hss_stream.gateway.name_cache import NameCache
from hss_stream.gateway.problem import Problem
from hss_stream.gateway.rates import RateLimit
from hss_stream.gateway.response import http_date
from hss_stream.observe.access_log import AccessLog
from hss_stream.observe.gateway_metrics import GatewayMetrics

# The time a kept answer took is always of this many characters, so that its length is known before.
TOOK = b"%.3f}"
TOOK_BYTES = len(TOOK % 0)
_MOST_MS = 9.999


class AtOnce:
    """Finds kept answers for requests; one for a process."""

    def __init__(
        self,
        guard: Guard,
        rates: tuple[RateLimit, RateLimit],
        names: NameCache,
        metrics: GatewayMetrics,
        access_log: AccessLog,
    ) -> None:
        self._guard = guard
        self._token_rate, self._address_rate = rates
        self._names = names
        self._metrics = metrics
        self._access_log = access_log

    def __call__(self, message: RawRequestMessage, address: str) -> bytes | None:
        """Return the whole answer to a plain request; None where it has to go the longer way."""
        started = perf_counter()
        kept = self._names.find(message.path, monotonic())
        if kept is None or "If-None-Match" in message.headers:
            return None
        try:
            token = self._guard.admit(message.headers.get("Authorization"), "lookup")
        except Problem:
            return None
        is_known = token is not ANONYMOUS
        if not self._address_rate.has_permit(address) or (
            is_known and not self._token_rate.has_permit(token.id)
        ):
            return None
        self._address_rate.spend(address)
        if is_known:
            self._token_rate.spend(token.id)
        seconds = perf_counter() - started
        self._metrics.kept_answer_sent(kept.route, kept.kind, kept.verdict, seconds)
        self._access_log.note(
            route=kept.route, method="GET", status=200, seconds=seconds, token=token.id, address=address,
            subject=kept.subject, verdict=kept.verdict, degraded=False, bytes_in=0,
        )  # fmt: skip
        took = TOOK % min(_MOST_MS, seconds * 1000)
        return b"".join((kept.head, http_date(), b"\r\n\r\n", kept.body, took))
