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
from hss_stream.stream.record_stream import RecordStream

WATCH_SECONDS = 1.0
ASK_SECONDS = 5.0
REBALANCING = "rebalancing"
# After the drain, for leaving the group and closing connections.
STOP_SECONDS = 15.0


class Runner:
    """Runs one stream to its end."""

    def __init__(
        self,
        stream: RecordStream,
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
        self._lag = dict.fromkeys(stream.flows, 0)
        self._excused_at = dict.fromkeys(stream.flows, time())

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
        failures = [flow.failure for flow in self._stream.flows.values() if flow.failure is not None]
        if app.crashed or failures:
            reason = self._stream.keeper.refused or next(iter(failures), app.crash_reason)
            if isinstance(reason, HssError):
                raise reason
            raise StreamError(f"running the worker: {reason!r}; it has to be started again") from reason

    async def _problem(self) -> str:
        """Return why pages are not placed, empty if they are."""
        app = self._stream.app
        if (away := self._stream.parts.patience.waiting_for) is not None:
            return f"waiting for {away}"
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
        for topic in self._lag:
            self._lag[topic] = sum(records for (name, _), records in lag.items() if name == topic)
        return ""

    def _check_stuck(self, problem: str) -> None:
        for topic, flow in self._stream.flows.items():
            lag = self._lag[topic]
            if (lag == 0 and not problem) or problem not in {"", REBALANCING}:
                self._excused_at[topic] = time()
            idle = time() - max(flow.last_batch_at, self._excused_at[topic])
            if idle > self._options.stuck_seconds:
                traces = self._stream.app.agents.human_tracebacks()
                log.warn("worker_stuck", topic=topic, idle_seconds=round(idle), lag=lag, traces=traces)
                raise StreamError(
                    f"watching the worker: {lag} records of {topic} wait, none done for {idle:.0f} seconds"
                )
