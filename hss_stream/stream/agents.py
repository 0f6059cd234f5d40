"""The agents: loops that take a batch, hand it to the flow, and acknowledge it. No thought in here."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from hss_stream.errors import HssError
from hss_stream.stream.options import WorkerSettings
from hss_stream.stream.parcel import ParcelSchema, join_parcels
from hss_stream.stream.record_flow import RecordFlow

# Small parcels that are taken together, so that a quiet topic does not pay for each.
TAKEN_PARCELS = 4


def register_agent(app: Any, topic: str, flow: RecordFlow, options: WorkerSettings) -> None:
    """Add the agent of a topic."""
    limits = options.batch_pages, options.batch_bytes

    @app.agent(app.topic(topic, schema=ParcelSchema()), name=topic)  # type: ignore[untyped-decorator] # the app is Any
    async def run_batches(stream: Any) -> None:
        try:
            async for events in stream.noack_take(TAKEN_PARCELS, within=options.batch_wait_seconds):
                for batch in join_parcels(events, *limits):
                    records = [record for event in batch for record in event.value.records]
                    await flow.run(records, partial(ack, stream, batch))
        except HssError as error:
            # Neither waiting nor a dead letter helps; a supervisor starts the worker again.
            await app.crash(error)
        finally:
            flow.cancel()

    async def ack(stream: Any, batch: Sequence[Any]) -> None:
        for event in batch:
            await stream.ack(event)
