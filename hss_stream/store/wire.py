"""A connection to Redis that is no slower than the socket: pack once, parse in C, pipeline always.

redis-py packs and unpacks command by command in Python, which for a batch of look-ups costs more than
the server does (docs/algorithms/clusters.md). Here a call is a string of packed commands and the number
of answers to wait for. A call that was cut off is sent again after reconnecting: everything the store
sends may be repeated. Only when the server has been away for longer than a limit does an error surface.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, cast

import hiredis

from hss_stream.errors import StoreError
from hss_stream.store.address import StoreAddress
from hss_stream.store.failures import StoreAwayError, StoreLoadingError, failure_of

CALL_SECONDS = 15.0
CONNECT_SECONDS = 5.0
FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 2.0

# Told which keys have changed of those read before; None: any of them may have.
OnChange = Callable[[Sequence[bytes] | None], None]


def pack(*command: bytes) -> bytes:
    """Return one command as bytes."""
    packed: bytes = hiredis.pack_command(command)  # type: ignore[arg-type] # any number of parts
    return packed


def _let_go(future: "asyncio.Future[list[Any]]") -> None:
    if not future.done():
        future.set_exception(TimeoutError())


class _Answers(asyncio.Protocol):
    """Collects answers in the order of the calls, and news of changed keys between them."""

    def __init__(self, on_change: OnChange | None = None) -> None:
        self.on_change = on_change
        self.reader = hiredis.Reader()
        self.transport: asyncio.Transport | None = None
        self.waiting: deque[tuple[asyncio.Future[list[Any]], int, list[Any]]] = deque()
        self.closed = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is one without saying so

    def data_received(self, data: bytes) -> None:
        """Hand answers to the calls that wait for them."""
        self.reader.feed(data)
        while (answer := self.reader.gets()) is not False:
            if self.on_change is not None and isinstance(answer, hiredis.PushNotification):
                if answer[0] == b"invalidate":
                    self.on_change(answer[1])
                continue
            future, wanted, got = self.waiting[0]
            got.append(answer)
            if len(got) == wanted:
                self.waiting.popleft()
                if not future.done():
                    future.set_result(got)

    def connection_lost(self, exc: Exception | None) -> None:
        """Let every waiting call know."""
        self.closed.set()
        if self.on_change is not None:
            self.on_change(None)
        while self.waiting:
            future, _, _ = self.waiting.popleft()
            if not future.done():
                future.set_exception(ConnectionError(str(exc or "closed by the server")))

    async def call(self, payload: bytes, answers: int) -> list[Any]:
        """Send commands and return their answers, errors among them."""
        if self.transport is None or self.transport.is_closing():
            raise ConnectionError("not connected")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[list[Any]] = loop.create_future()
        self.waiting.append((future, answers, []))
        self.transport.write(payload)
        # A quarter of what `asyncio.timeout` costs, once a call.
        limit = loop.call_later(CALL_SECONDS, _let_go, future)
        try:
            return await future
        finally:
            limit.cancel()


class Wire:
    """Calls to one server, through connections that come and go."""

    def __init__(self, address: StoreAddress, away_seconds: float = 30.0) -> None:
        self.address = address
        self.away_seconds = away_seconds
        self.answers: _Answers | None = None
        self.connecting = asyncio.Lock()
        self.connects = 0
        self._on_change: OnChange | None = None
        self.is_watched = False

    def watch(self, on_change: OnChange) -> None:
        """Have the server tell of changes of keys read here; before the first call.

        A connection that is lost counts as a change of all. `is_watched` is false while the server does not
        tell, because it cannot or there is none.
        """
        self._on_change = on_change

    async def connect(self) -> _Answers:
        """Return the connection, made anew if it is gone."""
        async with self.connecting:
            if self.answers is None:
                self.answers = await self._connect_once()
                self.connects += 1
            return self.answers

    async def _connect_once(self) -> _Answers:
        address, loop = self.address, asyncio.get_running_loop()

        def made() -> _Answers:
            return _Answers(self._on_change)

        async with asyncio.timeout(CONNECT_SECONDS):
            if address.path:
                _, answers = await loop.create_unix_connection(made, address.path)
            else:
                _, answers = await loop.create_connection(
                    made, address.host, address.port, ssl=address.tls_context()
                )
            hello = []
            if address.password or address.user:
                names = [address.user.encode()] if address.user else []
                hello.append(pack(b"AUTH", *names, address.password.encode()))
            if address.database:
                hello.append(pack(b"SELECT", b"%d" % address.database))
            hello.append(pack(b"PING"))
            for answer in await answers.call(b"".join(hello), len(hello)):
                if isinstance(answer, Exception):
                    answers.transport.close() if answers.transport else None
                    raise failure_of(f"connecting to {address}", answer)
            if self._on_change is not None:
                await self._ask_for_changes(answers)
        return answers

    async def _ask_for_changes(self, answers: _Answers) -> None:
        # An older server, or one that forbids it, answers with an error: then nothing is told.
        payload = pack(b"HELLO", b"3") + pack(b"CLIENT", b"TRACKING", b"ON")
        told = await answers.call(payload, 2)
        self.is_watched = not any(isinstance(answer, Exception) for answer in told)

    def drop(self, answers: _Answers | None) -> None:
        """Give up a connection: what is still to come on it belongs to nobody."""
        if answers is not None and answers.transport is not None:
            answers.transport.abort()
        if self.answers is answers:
            self.answers = None
            self.is_watched = False

    async def close(self) -> None:
        """Close the connection."""
        answers, self.answers = self.answers, None
        if answers is not None and answers.transport is not None:
            answers.transport.close()
            await answers.closed.wait()

    async def call(self, doing: str, payload: bytes, answers: int) -> list[Any]:
        """Return the answers to packed commands, errors of single commands among them.

        Raises StoreAwayError (or StoreLoadingError) when the server was not there for `away_seconds`.
        """
        if not answers:
            return []
        pause, since = FIRST_PAUSE_SECONDS, time.monotonic()
        while True:
            link: _Answers | None = None
            try:
                link = self.answers or await self.connect()
                got = await link.call(payload, answers)
                if any(isinstance(one, Exception) and str(one).startswith("LOADING") for one in got):
                    raise StoreLoadingError(f"{doing}: the server is loading its data; wait")  # noqa: TRY301 - one loop
            except (OSError, TimeoutError, StoreLoadingError) as error:
                if not isinstance(error, StoreLoadingError):
                    self.drop(link)
                away = time.monotonic() - since
                if away + pause > self.away_seconds:
                    raise self._away(doing, error, away) from error
                await asyncio.sleep(pause * (0.5 + random.random()))  # noqa: S311 - jitter
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
            else:
                return got

    def _away(self, doing: str, error: Exception, away: float) -> StoreError:
        if isinstance(error, StoreLoadingError):
            return error
        return StoreAwayError(
            f"{doing}: {self.address} has not answered for {away:.0f} s ({error or type(error).__name__}); "
            "start it or correct HSS_REDIS"
        )


def raise_errors(doing: str, answers: Sequence[Any]) -> None:
    """Raise the failure of the first command that failed."""
    for answer in answers:
        if isinstance(answer, Exception):
            raise failure_of(doing, answer)
