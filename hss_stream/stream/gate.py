"""Who may touch records at the same time: all batches together, or one record alone.

A record that was in hand when a worker ended, or that raised, is tried alone. That only proves anything
when nothing else is read or placed meanwhile, in any topic: otherwise the one would be blamed for the other.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Gate:
    """Many together, or one alone; who waits to be alone goes before new company."""

    def __init__(self) -> None:
        self._together = 0
        self._alone = asyncio.Lock()
        self._empty = asyncio.Event()
        self._empty.set()

    @asynccontextmanager
    async def together(self) -> AsyncIterator[None]:
        """Pass with others."""
        async with self._alone:
            self._together += 1
            self._empty.clear()
        try:
            yield
        finally:
            self._together -= 1
            if not self._together:
                self._empty.set()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Pass when nobody else is inside, and keep everybody out."""
        async with self._alone:
            await self._empty.wait()
            yield
