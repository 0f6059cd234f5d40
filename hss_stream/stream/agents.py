"""The agents: loops that take a batch, hand it to the flow, and acknowledge it. No thought in here."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from hss_stream.errors import HssError
from hss_stream.stream.options import WorkerSettings
from hss_stream.stream.parcel import ParcelQueue, ParcelSchema
from hss_stream.stream.record_flow import RecordFlow

# How often a quiet stream looks whether it has to stop.
IDLE_SECONDS = 1.0


def register_agent(app: Any, topic: str, flow: RecordFlow, options: WorkerSettings) -> None:
    """Add the agent of a topic."""

    @app.agent(app.topic(topic, schema=ParcelSchema()), name=topic)  # type: ignore[untyped-decorator] # the app is Any
    async def run_batches(stream: Any) -> None:
        queue = ParcelQueue(options.batch_pages, options.batch_bytes)
        try:
            async with asyncio.TaskGroup() as group:
                working = group.create_task(work(stream, queue))
                async for events in stream.noack_take(1, within=IDLE_SECONDS):
                    queue.put(*events)
                working.cancel()
        except* HssError as errors:
            # Neither waiting nor a dead letter helps; a supervisor starts the worker again.
            await app.crash(errors.exceptions[0])
        finally:
            flow.cancel()

    async def work(stream: Any, queue: ParcelQueue) -> None:
        while True:
            taken = await queue.take()
            # What was fetched before a rebalance is fetched again after it.
            batch = [event for event in taken if event.message.generation_id == app.consumer_generation_id]
            await ack(stream, [event for event in taken if event not in batch])
            records = [record for event in batch for record in event.value.records]
            if records:
                await flow.run(records, partial(ack, stream, batch))

    async def ack(stream: Any, batch: Sequence[Any]) -> None:
        for event in batch:
            await stream.ack(event)
