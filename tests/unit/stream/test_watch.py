"""The watch over a worker: it says why pages are not placed, and ends a worker that is stuck."""

import asyncio

import pytest

from hss_stream.errors import StoreError, StreamError
from hss_stream.observe.health import Health
from hss_stream.stream.runner import Runner
from tests.stream_harness import Harness


async def answer() -> None:
    """Say that the store is there."""


@pytest.fixture
async def harness():
    """Return a harness whose worker never finishes a page."""
    made = Harness(stuck_seconds=0.2)
    yield made
    await made.stop()


def watch(harness, ping_store=answer):
    """Return a runner around the harness's worker."""
    return Runner(harness.stream, harness.options, Health(harness.metrics), harness.metrics, ping_store)


async def test_stuck_worker_ends_itself(harness):
    """Pages wait, nothing is done, nobody is away: the watch raises, and a supervisor starts anew."""

    async def never(partition, scanned):
        del partition, scanned
        await asyncio.Event().wait()

    harness.step.place = never
    await harness.produce("http://a.example/", b"<p>")
    await harness.start()
    with pytest.raises(StreamError, match=r"1 records of hss\.pages wait, none done"):
        await asyncio.wait_for(watch(harness)._watch(), 30)


async def test_waiting_for_the_store_is_excused(harness):
    """A worker that waits for the store is not stuck, and is not ready."""
    harness.step.away = True
    await harness.produce("http://a.example/", b"<p>")
    await harness.start()
    await harness.wait_for(lambda: harness.step.calls > 1)
    runner = watch(harness)
    problem = await runner._problem()
    runner._check_stuck(problem)

    assert "waiting for store" == problem


async def test_store_that_does_not_answer_is_named(harness):
    """Readiness names the store when it does not answer, although nothing waits for it."""

    async def refuse():
        raise StoreError("asking: refused; is it running?")

    await harness.start()
    await harness.wait_for(harness.app.flow_control.is_active)
    await harness.wait_for(lambda: not harness.app.rebalancing)

    assert "the store does not answer" == await watch(harness, refuse)._problem()


async def test_failure_of_a_batch_ends_the_worker(harness):
    """What ended a batch for good ends the worker, also when no further batch comes."""
    await harness.start()
    runner = watch(harness)
    harness.stream.flows["hss.pages"].failure = StoreError("placing: the store went back; start again")

    with pytest.raises(StoreError, match="went back"):
        runner._check_crash()
