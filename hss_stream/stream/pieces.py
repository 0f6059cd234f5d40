"""Work for threads: a batch cut into as many pieces as there are threads."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import TypeVar

Item = TypeVar("Item")
Read = TypeVar("Read")


async def read_in_pieces(
    read: Callable[[Item], Read], items: Sequence[Item], executor: Executor, threads: int
) -> list[Read]:
    """Return what `read` gives for each item, in order; each thread reads a run of them."""
    loop = asyncio.get_running_loop()
    size = max(1, -(-len(items) // threads))
    pieces = [items[start : start + size] for start in range(0, len(items), size)]
    done = await asyncio.gather(
        *(
            loop.run_in_executor(executor, lambda piece: [read(one) for one in piece], piece)
            for piece in pieces
        )
    )
    return [one for piece in done for one in piece]
