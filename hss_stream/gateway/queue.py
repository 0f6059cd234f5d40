"""A bounded queue: so many look-ups at work, so many waiting, and an answer at once for the rest.

A client that hears 503 in a millisecond can act; one that waits for ten seconds holds up its mail.
"""

import asyncio
from types import TracebackType

from hss_stream.gateway.problem import Problem


class WorkQueue:
    """Admits look-ups: `async with queue:` around the work."""

    def __init__(self, concurrency: int, waiting: int) -> None:
        self._turns = asyncio.Semaphore(concurrency)
        self._room = concurrency + waiting
        self._inside = 0

    async def __aenter__(self) -> None:
        if self._inside >= self._room:
            raise Problem("overloaded", "too many look-ups at once", headers={"Retry-After": "1"})
        self._inside += 1
        try:
            await self._turns.acquire()
        except asyncio.CancelledError:
            self._inside -= 1
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._inside -= 1
        self._turns.release()
