"""Connections within limits: how many there may be, and how long one may take over its headers.

aiohttp closes a connection that is idle between requests. It does not mind one that sends a byte a second
for ever; a sweep does, once a second over all connections, which is cheaper than a timer for each request.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

from aiohttp import web

from hss_stream.gateway.options import GatewaySettings
from hss_stream.gateway.problem import CONTENT_TYPE, Problem
from hss_stream.observe.gateway_metrics import GatewayMetrics

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]

_FULL = Problem("overloaded", "too many connections")
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Type: "
    + CONTENT_TYPE.encode()
    + b"\r\nContent-Length: %d\r\n\r\n%s" % (len(_FULL.to_json()), _FULL.to_json())
)


SERVER = "hss-stream"


class LimitedConnection(web.RequestHandler):
    """One connection; `headers_since` is when an unfinished request began to arrive."""

    __slots__ = ("_is_refused", "_limits", "headers_since", "in_request")

    def __init__(self, server: "LimitedServer", loop: asyncio.AbstractEventLoop) -> None:
        limits = server.limits
        super().__init__(
            server,
            loop=loop,
            keepalive_timeout=limits.idle_seconds,
            access_log=None,  # type: ignore[arg-type] # None switches it off; ours is observe/access_log.py
            max_line_size=limits.max_header_bytes,
            max_field_size=limits.max_header_bytes,
            lingering_time=1.0,
            auto_decompress=False,
        )
        self._limits = server
        self._is_refused = False
        self.headers_since: float | None = None
        self.in_request = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection, or say that there are too many."""
        if self._limits.is_full:
            self._is_refused = True
            self._limits.metrics.limit_hit("connections")
            # uvloop's transports are not of asyncio's classes, but are what a TCP server gives.
            cast("asyncio.WriteTransport", transport).write(_REFUSAL)
            transport.close()
            return
        super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Let the connection go."""
        if not self._is_refused:
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; the first ones after a request begin the time for the next one's headers."""
        if self._is_refused:
            return
        if not self.in_request and self.headers_since is None:
            self.headers_since = self._loop.time()
        super().data_received(data)

    def request_begun(self) -> None:
        """Note that a request's headers are complete."""
        self.in_request = True
        self.headers_since = None

    def request_ended(self) -> None:
        """Note that a request was answered."""
        self.in_request = False

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Return the answer to what is no HTTP, or to a failure of ours, in the shape of all errors."""
        del request, message
        self.headers_since = None
        if status >= 500:
            self.log_exception("request_failed", exc_info=exc)
        problem = (
            Problem("failed", "see the log") if status >= 500 else Problem("bad-request", "this is no HTTP")
        )
        answer = web.Response(status=problem.status, body=problem.to_json(), content_type=CONTENT_TYPE)
        answer.headers["Server"] = SERVER
        answer.force_close()
        return answer


class LimitedServer(web.Server):
    """Makes the connections of one process and knows them all."""

    def __init__(self, handler: Handler, limits: GatewaySettings, metrics: GatewayMetrics) -> None:
        super().__init__(handler)
        self.limits = limits
        self.metrics = metrics

    @property
    def is_full(self) -> bool:
        """Whether a further connection would be one too many."""
        return len(self._connections) >= self.limits.max_connections

    def __call__(self) -> LimitedConnection:
        """Return the protocol of a new connection."""
        return LimitedConnection(self, self._loop)

    def sweep(self) -> None:
        """Close connections that took too long over their headers, and count those open."""
        latest = self._loop.time() - self.limits.header_seconds
        for connection in self.connections:
            since = connection.headers_since if isinstance(connection, LimitedConnection) else None
            if since is not None and since < latest:
                self.metrics.limit_hit("headers_time")
                connection.force_close()
        self.metrics.connections_are(len(self._connections))

    async def keep_sweeping(self) -> None:
        """Sweep as often as the limit needs, for ever."""
        pause = min(1.0, self.limits.header_seconds / 2)
        while True:
            await asyncio.sleep(pause)
            self.sweep()
