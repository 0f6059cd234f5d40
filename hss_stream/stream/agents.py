"""The agents: loops that take a batch, hand it to the flow, and acknowledge it. No thought in here."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from hss_stream.errors import HssError
from hss_stream.stream.options import WorkerSettings
from hss_stream.stream.record_flow import RecordFlow


def cut_by_bytes(events: Sequence[Any], limit: int) -> Iterator[list[Any]]:
    """Yield runs of events whose bodies together stay within a limit; a larger body goes alone."""
    run: list[Any] = []
    size = 0
    for event in events:
        length = len(event.message.value or b"")
        if run and size + length > limit:
            yield run
            run, size = [], 0
        run.append(event)
        size += length
    if run:
        yield run


def register_agent(app: Any, topic: str, flow: RecordFlow, options: WorkerSettings) -> None:
    """Add the agent of a topic."""

    @app.agent(app.topic(topic, key_type=bytes, value_type=bytes), name=topic)  # type: ignore[untyped-decorator] # the app is Any
    async def run_batches(stream: Any) -> None:
        try:
            async for events in stream.noack_take(options.batch_pages, within=options.batch_wait_seconds):
                for batch in cut_by_bytes(events, options.batch_bytes):
                    await flow.run([event.message for event in batch], partial(ack, stream, batch))
        except HssError as error:
            # Neither waiting nor a dead letter helps; a supervisor starts the worker again.
            await app.crash(error)
        finally:
            flow.cancel()

    async def ack(stream: Any, batch: Sequence[Any]) -> None:
        for event in batch:
            await stream.ack(event)
