"""Running a stream: start, watch, drain, stop.

The watch looks every second whether the worker is ready (owns its partitions, store and Kafka
answer), measures the lag against the broker rather than against what was fetched, and ends a worker
that is stuck: assigned, pages waiting, nothing done, and nobody to blame.
"""

import asyncio
from collections.abc import Awaitable, Callable
from time import time

from aiokafka.errors import KafkaError

from hss_stream.errors import HssError, StoreError, StreamError
from hss_stream.observe import log
from hss_stream.observe.health import Health
from hss_stream.observe.metrics import Metrics
from hss_stream.stream.options import WorkerSettings
from hss_stream.stream.page_stream import PageStream

WATCH_SECONDS = 1.0
ASK_SECONDS = 5.0
REBALANCING = "rebalancing"
# After the drain, for leaving the group and closing connections.
STOP_SECONDS = 15.0


class Runner:
    """Runs one stream to its end."""

    def __init__(
        self,
        stream: PageStream,
        options: WorkerSettings,
        health: Health,
        metrics: Metrics,
        ping_store: Callable[[], Awaitable[None]],
    ) -> None:
        self._stream = stream
        self._options = options
        self._health = health
        self._metrics = metrics
        self._ping_store = ping_store
        self._lag = 0
        self._excused_at = time()

    async def run(self, stop: asyncio.Event) -> None:
        """Run until `stop` is set; HssError when the stream ended by itself."""
        app = self._stream.app
        try:
            await app.start()
        except (KafkaError, ConnectionError) as error:
            raise StreamError(
                f"starting the worker: {error}; is Kafka running, and is HSS_BROKER right?"
            ) from error
        log.info("worker_started", group=app.conf.id)
        watching = asyncio.create_task(self._watch())
        stopping = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait({watching, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._health.not_ready("stopping")
            log.info("worker_stopping", pages_in_hand=len(app.consumer.unacked))
            for task in (watching, stopping):
                task.cancel()
            await asyncio.wait({watching, stopping})
            await self._end()
        if not watching.cancelled() and (problem := watching.exception()) is not None:
            raise problem

    async def _end(self) -> None:
        limit = self._options.drain_seconds + STOP_SECONDS
        try:
            await asyncio.wait_for(self._stream.app.stop(), limit)
        except TimeoutError:
            raise StreamError(
                f"stopping the worker: not done after {limit:.0f} seconds; pages in hand will come again"
            ) from None
        log.info("worker_stopped")

    async def _watch(self) -> None:
        while True:
            self._health.loop_turned()
            self._check_crash()
            problem = await self._problem()
            self._health.not_ready(problem)
            self._check_stuck(problem)
            await asyncio.sleep(WATCH_SECONDS)

    def _check_crash(self) -> None:
        app = self._stream.app
        if app.crashed:
            reason = self._stream.keeper.refused or app.crash_reason
            if isinstance(reason, HssError):
                raise reason
            raise StreamError(f"running the worker: {reason!r}; it has to be started again") from reason

    async def _problem(self) -> str:
        """Return why pages are not placed, empty if they are."""
        app = self._stream.app
        if self._stream.flow.worker.waiting_for is not None:
            return f"waiting for {self._stream.flow.worker.waiting_for}"
        if app.rebalancing or not app.flow_control.is_active():
            return REBALANCING
        try:
            with self._metrics.store_call("ping"):
                await asyncio.wait_for(self._ping_store(), ASK_SECONDS)
        except (StoreError, TimeoutError):
            return "the store does not answer"
        try:
            progress = app.consumer.progress()
            ends = await asyncio.wait_for(app.consumer.highwaters(*progress), ASK_SECONDS)
        except (KafkaError, TimeoutError):
            return "Kafka does not answer"
        lag = {(tp.topic, tp.partition): max(ends[tp] - done, 0) for tp, done in progress.items()}
        self._metrics.lag_is(lag)
        self._lag = sum(lag.values())
        return ""

    def _check_stuck(self, problem: str) -> None:
        flow = self._stream.flow
        if (self._lag == 0 and not problem) or problem not in {"", REBALANCING}:
            self._excused_at = time()
        idle = time() - max(flow.last_batch_at, self._excused_at)
        if idle > self._options.stuck_seconds:
            traces = self._stream.app.agents.human_tracebacks()
            log.warn("worker_stuck", idle_seconds=round(idle), lag=self._lag, traces=traces)
            raise StreamError(
                f"watching the worker: {self._lag} pages wait, none done for {idle:.0f} seconds"
            )
