"""Connections within limits: how many there may be, and how long one may take over its headers.

aiohttp closes a connection that is idle between requests. It does not mind one that sends a byte a second
for ever; a sweep does, once a second over all connections, which is cheaper than a timer for each request.
Requests that `at_once.py` can answer are taken out between aiohttp's parser and its tasks.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from aiohttp import web
from aiohttp.http import HttpRequestParser, RawRequestMessage
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader

from hss_stream.gateway.call import Answer
from hss_stream.gateway.options import GatewaySettings
from hss_stream.gateway.problem import CONTENT_TYPE, Problem
from hss_stream.gateway.response import WholeResponse
from hss_stream.observe.gateway_metrics import GatewayMetrics

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
AnswerAtOnce = Callable[[RawRequestMessage, str], bytes | None]
_Messages = Sequence[tuple[RawRequestMessage, StreamReader]]

_FULL = Problem("overloaded", "too many connections")
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Type: "
    + CONTENT_TYPE.encode()
    + b"\r\nContent-Length: %d\r\n\r\n%s" % (len(_FULL.to_json()), _FULL.to_json())
)


class _Parser:
    """aiohttp's parser; requests that were answered at once do not come out of it."""

    __slots__ = ("_connection", "_parser")

    def __init__(self, parser: HttpRequestParser, connection: "LimitedConnection") -> None:
        self._parser = parser
        self._connection = connection

    def feed_data(self, data: bytes) -> tuple[_Messages, bool, bytes]:
        """Parse bytes; return the requests that are still to be answered."""
        messages: _Messages
        messages, upgraded, tail = self._parser.feed_data(data)
        if messages and not upgraded:
            messages = self._connection.answer_at_once(messages)
        return messages, upgraded, tail

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parser, name)


class LimitedConnection(web.RequestHandler):
    """One connection; `headers_since` is when an unfinished request began to arrive."""

    __slots__ = ("_address", "_is_refused", "_limits", "headers_since", "in_request")

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
        self._address = ""
        self._is_refused = False
        self._parser = cast("HttpRequestParser", _Parser(cast("HttpRequestParser", self._parser), self))
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
        peer = transport.get_extra_info("peername")
        self._address = str(peer[0]) if isinstance(peer, tuple) else ""

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

    def answer_at_once(self, messages: _Messages) -> _Messages:
        """Answer requests that need no waiting, in their order; return those from the first other one on."""
        for number, (message, payload) in enumerate(messages):
            transport = self.transport
            # Idle, and the client reads what it is sent: otherwise answers would pile up, or change places.
            is_free = self._waiter is not None and not self._waiter.done() and not self._paused
            if transport is None or not is_free or self._messages or payload is not EMPTY_PAYLOAD:
                return messages[number:]
            answer = self._limits.at_once(message, self._address)
            if answer is None:
                return messages[number:]
            transport.write(answer)
            self._parser.message_consumed()  # type: ignore[union-attr] # gone only with the transport
            self.headers_since = None
            self._next_keepalive_close_time = self._loop.time() + self.keepalive_timeout
        return ()

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
        return WholeResponse(Answer(problem.to_json(), problem.status, CONTENT_TYPE, {"Connection": "close"}))


class LimitedServer(web.Server):
    """Makes the connections of one process and knows them all."""

    def __init__(
        self, handler: Handler, at_once: AnswerAtOnce, limits: GatewaySettings, metrics: GatewayMetrics
    ) -> None:
        super().__init__(handler)
        self.at_once = at_once
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
