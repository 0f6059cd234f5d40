"""A load generator for HTTP/1.1 that costs little: kept connections, requests made before."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import uvloop


@dataclass
class LoadResult:
    """What a run gave: wall seconds, latencies in seconds, answers by status."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    statuses: dict[bytes, int] = field(default_factory=dict)

    def percentile_ms(self, share: float) -> float:
        """Return a latency in milliseconds that this share of the requests stayed under."""
        ordered = sorted(self.latencies)
        return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000, 2)


class _Caller(asyncio.Protocol):
    """One connection: sends a request, waits for its whole answer, sends the next; reconnects when closed."""

    def __init__(self, run: "_Run") -> None:
        self.run = run
        self.buffer = b""
        self.need = 0
        self.pending: tuple[float, bytes] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.buffer, self.need = b"", 0
        if self.pending is None:
            self.run.idle(self)
        else:
            self.transport.write(self.pending[1])

    def send(self, at: float, request: bytes) -> None:
        self.pending = (at, request)
        if not self.transport.is_closing():
            self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.need:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self.buffer[:end].lower()
            length = head.find(b"content-length:")
            body = int(head[length + 15 :].split(b"\r\n", 1)[0]) if length >= 0 else 0
            self.need = end + 4 + body
        if len(self.buffer) >= self.need and self.pending is not None:
            status, at = self.buffer[9:12], self.pending[0]
            self.buffer, self.need, self.pending = b"", 0, None
            self.run.done(status, at)
            self.run.idle(self)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        if not self.run.is_over:
            self.run.connect(self)


class _Run:
    """All requests of a run over some connections; `interval` paces them, 0 sends as fast as answered."""

    def __init__(self, port: int, requests: Sequence[bytes], connections: int, interval: float) -> None:
        self.port, self.connections, self.interval = port, connections, interval
        self.left = iter(requests)
        self.wanted = len(requests)
        self.result = LoadResult()
        self.over = asyncio.Event()
        self.loop = asyncio.get_running_loop()
        self.next_at = 0.0
        self.tasks: set[asyncio.Task[object]] = set()

    @property
    def is_over(self) -> bool:
        return self.over.is_set()

    async def __call__(self) -> LoadResult:
        start = self.next_at = time.perf_counter()
        for _ in range(self.connections):
            self.connect(_Caller(self))
        await self.over.wait()
        self.result.seconds = time.perf_counter() - start
        return self.result

    def connect(self, caller: _Caller) -> None:
        task = asyncio.ensure_future(self.loop.create_connection(lambda: caller, "127.0.0.1", self.port))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def idle(self, caller: _Caller) -> None:
        request = next(self.left, None)
        if request is None:
            return
        now = time.perf_counter()
        self.next_at += self.interval
        # A paced request that is late counts its wait too, or a slow server would look fast.
        if self.interval and self.next_at > now:
            self.loop.call_later(self.next_at - now, caller.send, self.next_at, request)
        else:
            caller.send(self.next_at if self.interval else now, request)

    def done(self, status: bytes, at: float) -> None:
        self.result.latencies.append(time.perf_counter() - at)
        self.result.statuses[status] = self.result.statuses.get(status, 0) + 1
        if len(self.result.latencies) == self.wanted:
            self.over.set()


def run_load(
    port: int, requests: Iterable[bytes], connections: int = 16, interval: float = 0.0
) -> LoadResult:
    """Send requests and wait for all answers."""
    listed = list(requests)

    async def run() -> LoadResult:
        return await _Run(port, listed, connections, interval)()

    return uvloop.run(run())


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process and those it started."""
    return sum(time.clock_gettime(_cpu_clock(one)) for one in (pid, *_descendants(pid)))


def _cpu_clock(pid: int) -> int:
    """Return the clock of another process's processor time, as clock_getcpuclockid(3) makes it."""
    return (~pid << 3) | 2


def _descendants(pid: int) -> list[int]:
    children = [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return children + [below for child in children for below in _descendants(child)]
