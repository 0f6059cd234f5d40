"""The server of one process: from a request to its route, its handler, its answer and its access line."""

import asyncio
import ssl
from time import monotonic
from typing import cast

from aiohttp import web
from aiohttp.http import RawRequestMessage

from hss_stream.gateway.at_once import AtOnce
from hss_stream.gateway.call import Answer, Call
from hss_stream.gateway.connection import LimitedConnection, LimitedServer
from hss_stream.gateway.guard import ANONYMOUS, Guard
from hss_stream.gateway.handlers import Handlers, problem_answer
from hss_stream.gateway.lookups import LookUps
from hss_stream.gateway.options import GatewaySettings
from hss_stream.gateway.problem import Problem
from hss_stream.gateway.rates import BAD_TOKENS_BURST, BAD_TOKENS_PER_SECOND, Buckets, RateLimit
from hss_stream.gateway.response import WholeResponse, head_of, http_date
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
        self._server = LimitedServer(self.handle, at_once, self.handle_plain, limits, metrics)
        self._listener: asyncio.Server | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request, whatever it holds."""
        connection = cast("LimitedConnection", request.protocol)  # the only one that LimitedServer makes
        if connection.plain is not None:
            await asyncio.wait([connection.plain])
        connection.request_begun()
        try:
            answer = await self._answer(Call.of_request(request, self._limits, ANONYMOUS))
        finally:
            connection.request_ended()
        return WholeResponse(answer, connection.send)

    async def handle_plain(self, message: RawRequestMessage, connection: LimitedConnection) -> None:
        """Answer one request that is known to have no body and to leave its connection open."""
        answer = await self._answer(Call.of_message(message, connection.address, self._limits, ANONYMOUS))
        body = answer.body
        await connection.send(b"".join((head_of(answer, len(body)), http_date(), b"\r\n\r\n", body)))

    async def _answer(self, call: Call) -> Answer:
        route: Route | None = None
        try:
            route, call.rest = match_route(call.method, call.url.raw_path)
            answer = await self._routed(call, route)
        except Problem as problem:
            if (limit := _LIMITS.get(problem.code)) is not None:
                self._metrics.limit_hit(limit)
            answer = problem_answer(problem)
        self._note(call, route, answer.status)
        return answer

    async def _routed(self, call: Call, route: Route) -> Answer:
        if route.scope is not None and not (route.handler == "metrics" and self._are_metrics_open):
            call.token = self._admit(call, route.scope)
            now = monotonic()
            await self._address_rate.admit(call.address, now)
            if call.token is not ANONYMOUS:
                await self._token_rate.admit(call.token.id, now)
        answer: Answer = await self._handlers[route.handler](call)
        return answer

    @property
    def _are_metrics_open(self) -> bool:
        return self._limits.open_metrics or self._guard.is_open

    def _admit(self, call: Call, scope: str) -> Token:
        try:
            return self._guard.admit(call.headers.get("Authorization"), scope)
        except Problem as problem:
            if problem.code == "no-token" and not self._bad_tokens.take(call.address, monotonic()):
                raise Problem("too-many", "too many bad tokens", headers={"Retry-After": "1"}) from None
            raise

    def _note(self, call: Call, route: Route | None, status: int) -> None:
        name = _NO_ROUTE if route is None else route.handler
        seconds = call.took_ms / 1000
        self._metrics.request_done(name, status, seconds)
        self._access_log.note(
            route=name,
            method=call.method if route is not None else "",
            status=status,
            seconds=seconds,
            token=call.token.id,
            address=call.address,
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
        await self._server.finish_plain(seconds)
        self._server.pre_shutdown()
        await self._server.shutdown(seconds)
        self._access_log.flush()
