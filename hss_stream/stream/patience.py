"""Whose fault an error is: the store's and Kafka's are waited out, all others are the record's own."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import TypeVar

from hss_stream.errors import StoreError, StreamError
from hss_stream.observe import log
from hss_stream.observe.metrics import Cause, Metrics
from hss_stream.store.failures import StoreMismatchError, StoreWentBackError

FIRST_PAUSE_SECONDS = 0.05
# Waiting would not help: the worker has to start again, or somebody has to look.
FATAL = (StoreWentBackError, StoreMismatchError)
Answer = TypeVar("Answer")


class Patience:
    """Waits for the store and for Kafka; one for a worker, which is ready while nothing waits."""

    def __init__(self, longest_seconds: float, metrics: Metrics) -> None:
        self._longest_seconds = longest_seconds
        self._metrics = metrics
        self.waiting_for: Cause | None = None

    async def wait_out(self, cause: Cause, act: Callable[[], Awaitable[Answer]]) -> Answer:
        """Do something of the store or Kafka until it works; only cancelling ends it."""
        for power in itertools.count():
            try:
                answer = await act()
            except FATAL:
                raise
            except (StoreError, StreamError) as error:
                if self.waiting_for is None:
                    log.warn("store_away" if cause == "store" else "kafka_away", problem=str(error))
                self.waiting_for = cause
                self._metrics.tried_again(cause)
                await asyncio.sleep(min(FIRST_PAUSE_SECONDS * 2 ** min(power, 20), self._longest_seconds))
            else:
                self.waiting_for = None
                return answer
        raise AssertionError("unreachable")


async def own_fault(act: Callable[[], Awaitable[Answer]]) -> Answer | Exception:
    """Return what an act gives, or the error that its records brought about."""
    try:
        return await act()
    except FATAL:
        raise
    except Exception as error:  # noqa: BLE001 - the outermost line around records: one's fault stops no other
        return error
