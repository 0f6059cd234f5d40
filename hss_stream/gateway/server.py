"""The server of one process: from a request to its route, its handler, its answer and its access line."""

import asyncio
import ssl
from time import monotonic

from aiohttp import web

from hss_stream.gateway.at_once import AtOnce
from hss_stream.gateway.call import Answer, Call
from hss_stream.gateway.connection import LimitedConnection, LimitedServer
from hss_stream.gateway.guard import ANONYMOUS, Guard
from hss_stream.gateway.handlers import Handlers, problem_answer
from hss_stream.gateway.lookups import LookUps
from hss_stream.gateway.options import GatewaySettings
from hss_stream.gateway.problem import Problem
from hss_stream.gateway.rates import BAD_TOKENS_BURST, BAD_TOKENS_PER_SECOND, Buckets, RateLimit
from hss_stream.gateway.response import WholeResponse
from hss_stream.gateway.routes import ROUTES, Route, match_route
from hss_stream.gateway.token_file import Token
from hss_stream.observe.access_log import AccessLog
from hss_stream.observe.gateway_metrics import GatewayMetrics, Limit

# Which limit a problem means, for the metric.
_LIMITS: dict[str, Limit] = {
    "too-large": "body_bytes",
    "too-slow": "body_time",
    "overloaded": "queue",
    "too-many": "rate",
    "no-token": "bad_token",
}
_NO_ROUTE = "none"
BACKLOG = 4096
# The store is asked for a sign of life once, access lines are written several times in this time.
WATCH_SECONDS = 1.0
WATCH_TICKS = 4


class GatewayServer:
    """Answers requests; `start` listens, `stop` lets requests in hand finish."""

    def __init__(
        self,
        limits: GatewaySettings,
        guard: Guard,
        rates: tuple[RateLimit, RateLimit],
        lookups: LookUps,
        handlers: Handlers,
        at_once: AtOnce,
        metrics: GatewayMetrics,
        access_log: AccessLog,
    ) -> None:
        self._limits = limits
        self._guard = guard
        self._token_rate, self._address_rate = rates
        self._bad_tokens = Buckets(BAD_TOKENS_PER_SECOND, BAD_TOKENS_BURST)
        self._lookups = lookups
        self._metrics = metrics
        self._access_log = access_log
        self._handlers = {route.handler: getattr(handlers, route.handler) for route in ROUTES}
        self._server = LimitedServer(self.handle, at_once, limits, metrics)
        self._listener: asyncio.Server | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request, whatever it holds."""
        connection = request.protocol
        if isinstance(connection, LimitedConnection):
            connection.request_begun()
        call = Call(request, self._limits, ANONYMOUS)
        route: Route | None = None
        try:
            route, call.rest = match_route(request.method, request.rel_url.raw_path)
            answer = await self._answer(call, route)
        except Problem as problem:
            if (limit := _LIMITS.get(problem.code)) is not None:
                self._metrics.limit_hit(limit)
            answer = problem_answer(problem)
        finally:
            if isinstance(connection, LimitedConnection):
                connection.request_ended()
        self._note(call, route, answer.status)
        return WholeResponse(answer)

    async def _answer(self, call: Call, route: Route) -> Answer:
        if route.scope is not None and not (route.handler == "metrics" and self._are_metrics_open):
            address = call.request.remote or ""
            call.token = self._admit(call, route.scope, address)
            now = monotonic()
            await self._address_rate.admit(address, now)
            if call.token is not ANONYMOUS:
                await self._token_rate.admit(call.token.id, now)
        answer: Answer = await self._handlers[route.handler](call)
        return answer

    @property
    def _are_metrics_open(self) -> bool:
        return self._limits.open_metrics or self._guard.is_open

    def _admit(self, call: Call, scope: str, address: str) -> Token:
        try:
            return self._guard.admit(call.request.headers.get("Authorization"), scope)
        except Problem as problem:
            if problem.code == "no-token" and not self._bad_tokens.take(address, monotonic()):
                raise Problem("too-many", "too many bad tokens", headers={"Retry-After": "1"}) from None
            raise

    def _note(self, call: Call, route: Route | None, status: int) -> None:
        name = _NO_ROUTE if route is None else route.handler
        seconds = call.took_ms / 1000
        self._metrics.request_done(name, status, seconds)
        self._access_log.note(
            route=name,
            method=call.request.method if route is not None else "",
            status=status,
            seconds=seconds,
            token=call.token.id,
            address=call.request.remote or "",
            subject=None if call.subject is None else self._access_log.hash_subject(call.subject),
            verdict=call.verdict,
            degraded=call.degraded,
            bytes_in=call.bytes_in,
        )

    async def start(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> int:
        """Listen, together with other processes on the same port; return the port."""
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(
            self._server, host, port, ssl=tls, backlog=BACKLOG, reuse_port=True, start_serving=True
        )
        self._tasks = [
            asyncio.create_task(self._server.keep_sweeping()),
            asyncio.create_task(self._keep_watching()),
        ]
        return int(self._listener.sockets[0].getsockname()[1])

    async def _keep_watching(self) -> None:
        """Ask the store for a sign of life and write the access lines, for ever."""
        while True:
            await self._lookups.ping()
            self._metrics.store_is_away(away=not self._lookups.breaker.is_closed)
            for _ in range(WATCH_TICKS):
                await asyncio.sleep(WATCH_SECONDS / WATCH_TICKS)
                self._access_log.flush()
                self._metrics.flush()

    async def stop(self, seconds: float = 10.0) -> None:
        """Take no further connections, let requests in hand finish, close the rest."""
        if self._listener is not None:
            self._listener.close()
        for task in self._tasks:
            task.cancel()
        self._server.pre_shutdown()
        await self._server.shutdown(seconds)
        self._access_log.flush()
