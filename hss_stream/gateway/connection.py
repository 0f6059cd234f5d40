"""Connections within limits: how many there may be, and how long one may take over its headers.

aiohttp closes a connection that is idle between requests. It does not mind one that sends a byte a second
for ever; a sweep does, once a second over all connections, which is cheaper than a timer for each request.

Plain requests, which have no body and leave their connection open, are taken out between aiohttp's parser and
its tasks: those that `at_once.py` can answer never get a task, the others one that knows only what it needs.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, cast

from aiohttp import HttpVersion11, web
from aiohttp.http import HttpRequestParser, RawRequestMessage
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader

from hss_stream.gateway.call import Answer
from hss_stream.gateway.options import GatewaySettings
from hss_stream.gateway.problem import CONTENT_TYPE, Problem
from hss_stream.gateway.response import WholeResponse, head_of, http_date
from hss_stream.observe.gateway_metrics import GatewayMetrics

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
AnswerAtOnce = Callable[[RawRequestMessage, str], bytes | None]
HandlePlain = Callable[[RawRequestMessage, "LimitedConnection"], Coroutine[Any, Any, None]]
_Messages = Sequence[tuple[RawRequestMessage, StreamReader]]


def _last_words(problem: Problem) -> bytes:
    """Return the answer with which a connection ends."""
    body = problem.to_json()
    head = head_of(Answer(body, problem.status, CONTENT_TYPE, problem.headers), len(body))
    return b"".join((head, http_date(), b"\r\nConnection: close\r\n\r\n", body))


_FULL = _last_words(Problem("overloaded", "too many connections", headers={"Retry-After": "1"}))
_FAILURE = _last_words(Problem("failed", "see the log"))


def is_plain(message: RawRequestMessage) -> bool:
    """Tell whether a request without a body asks for nothing unusual of its connection."""
    return (
        message.method == "GET"
        and not message.should_close
        and message.version == HttpVersion11
        and message.path.startswith("/")
    )


class _Outbox:
    """Answers made in one turn of the loop, written together at its end.

    A write wakes a client that waits, which on a virtual machine costs as much as the look-up itself; while
    it is awake it takes the answers that follow at once.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._answers: list[tuple[asyncio.WriteTransport, bytes]] = []

    def put(self, transport: asyncio.WriteTransport, answer: bytes) -> None:
        """Have an answer written."""
        if not self._answers:
            self._loop.call_soon(self._write)
        self._answers.append((transport, answer))

    def _write(self) -> None:
        answers, self._answers = self._answers, []
        for transport, answer in answers:
            if not transport.is_closing():
                transport.write(answer)


class _Parser:
    """aiohttp's parser; plain requests do not come out of it."""

    __slots__ = ("_connection", "_parser")

    def __init__(self, parser: HttpRequestParser, connection: "LimitedConnection") -> None:
        self._parser = parser
        self._connection = connection

    def feed_data(self, data: bytes) -> tuple[_Messages, bool, bytes]:
        """Parse bytes; return the requests that are still to be answered."""
        messages: _Messages
        messages, upgraded, tail = self._parser.feed_data(data)
        if messages and not upgraded:
            messages = self._connection.take_plain(messages)
        return messages, upgraded, tail

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parser, name)


class LimitedConnection(web.RequestHandler):
    """One connection; `headers_since` is when an unfinished request began to arrive."""

    __slots__ = ("_is_refused", "_limits", "address", "headers_since", "in_request", "plain")

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
        self.address = ""
        self.plain: asyncio.Task[None] | None = None  # the plain request that is being answered
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
            cast("asyncio.WriteTransport", transport).write(_FULL)
            transport.close()
            return
        super().connection_made(transport)
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if isinstance(peer, tuple) else ""

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

    def take_plain(self, messages: _Messages) -> _Messages:
        """Answer plain requests, or begin to; return those from the first on that has to go the long way."""
        for number, (message, payload) in enumerate(messages):
            transport = self.transport
            # Free, and the client reads what it is sent: otherwise answers would pile up, or change places.
            is_free = self._waiter is not None and not self._waiter.done() and self.plain is None
            if (
                transport is None
                or not is_free
                or self._paused
                or self._messages
                or payload is not EMPTY_PAYLOAD
                or not is_plain(message)
            ):
                return messages[number:]
            self.request_begun()
            self._parser.message_consumed()  # type: ignore[union-attr] # gone only with the transport
            answer = self._limits.at_once(message, self.address)
            if answer is None:
                self.plain = self._loop.create_task(self._limits.handle_plain(message, self))
                self.plain.add_done_callback(self._plain_ended)
                continue
            self._limits.outbox.put(transport, answer)
            self.request_ended()
            self._next_keepalive_close_time = self._loop.time() + self.keepalive_timeout
        return ()

    async def send(self, answer: bytes) -> None:
        """Have an answer written, and wait while the client reads too slowly."""
        if self.transport is None:
            raise ConnectionResetError("the client is gone")
        self._limits.outbox.put(self.transport, answer)
        if self._paused:
            await self._drain_helper()

    def request_begun(self) -> None:
        """Note that a request's headers are complete."""
        self.in_request = True
        self.headers_since = None

    def request_ended(self) -> None:
        """Note that a request was answered."""
        self.in_request = False

    def _plain_ended(self, task: "asyncio.Task[None]") -> None:
        """Note that a plain request was answered, or that it failed."""
        self.plain = None
        self.request_ended()
        self._next_keepalive_close_time = self._loop.time() + self.keepalive_timeout
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, ConnectionError):
            self.log_exception("request_failed", exc_info=error)
            if self.transport is not None:
                self._limits.outbox.put(self.transport, _FAILURE)
                self._loop.call_soon(self.force_close)

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
        closing = {"Connection": "close"}
        return WholeResponse(Answer(problem.to_json(), problem.status, CONTENT_TYPE, closing), self.send)


class LimitedServer(web.Server):
    """Makes the connections of one process and knows them all."""

    def __init__(
        self,
        handler: Handler,
        at_once: AnswerAtOnce,
        handle_plain: HandlePlain,
        limits: GatewaySettings,
        metrics: GatewayMetrics,
    ) -> None:
        super().__init__(handler)
        self.at_once = at_once
        self.handle_plain = handle_plain
        self.outbox = _Outbox(self._loop)
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

    async def finish_plain(self, seconds: float) -> None:
        """Wait for the plain requests in hand."""
        plain = [one.plain for one in self.connections if isinstance(one, LimitedConnection) and one.plain]
        if plain:
            await asyncio.wait(plain, timeout=seconds)

    async def keep_sweeping(self) -> None:
        """Sweep as often as the limit needs, for ever."""
        pause = min(1.0, self.limits.header_seconds / 2)
        while True:
            await asyncio.sleep(pause)
            self.sweep()
