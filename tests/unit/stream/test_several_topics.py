"""Several topics in one worker: each has its step, none is blamed for another."""

import asyncio

import pytest

from hss_stream.store.page_marks import Partition
from hss_stream.stream.gate import Gate
from hss_stream.stream.record import check_value
from hss_stream.stream.step import OutRecord, StepResult
from hss_stream.stream.work import OneByOne
from tests.stream_harness import Harness


class EchoStep:
    """Sends the value of each record to another topic."""

    kind = "mail"

    def __init__(self) -> None:
        self.trimmed = {}

    def open_reader(self):
        """Return a reader that takes any value."""
        return OneByOne(lambda record: check_value(record.value))

    async def open_source(self, partition, incarnation):
        """Know nothing."""
        del partition, incarnation
        return -1

    async def scan(self, partition, items):
        """Scan nothing."""
        del partition
        return list(items)

    async def place(self, partition, scanned):
        """Echo, except what cannot be."""
        del partition
        if b"poison" in scanned:
            raise ValueError("poison")
        return [StepResult("echoed", records=[OutRecord("hss.echo", None, value)]) for value in scanned]

    async def trim(self, committed):
        """Remember what was committed."""
        self.trimmed.update(committed)


@pytest.fixture
async def harness():
    """Return a harness with a second topic."""
    made = Harness()
    made.more_steps = {"hss.mail": EchoStep()}
    yield made
    await made.stop()


async def test_each_topic_has_its_step(harness):
    """Records of two topics go through their own steps, and both are committed and trimmed."""
    harness.log.create("hss.mail", 1)
    await harness.start()
    for number in range(50):
        await harness.produce(f"http://a{number}.example/", b"<p>page</p>")
        await harness.log.append("hss.mail", None, b"%d" % number)
    await harness.wait_committed(50)
    mail = Partition("hss.mail", 0)
    await harness.wait_for(lambda: harness.more_steps["hss.mail"].trimmed.get(mail) == 50)

    assert {b"%d" % number for number in range(50)} == {one.value for one in harness.log.records("hss.echo")}
    assert 50 == len(harness.log.records("hss.attachments"))
    assert 50.0 == harness.metrics.registry.get_sample_value(
        "hss_records_total", {"kind": "mail", "outcome": "echoed"}
    )


async def test_bad_records_die_in_their_topic(harness):
    """What one topic refuses or fails on is its own dead letter, and the other topic goes on."""
    for value in (b"first", None, b"poison", b"last"):
        await harness.log.append("hss.mail", b"key", value)
    await harness.produce("http://a.example/", b"<p>page</p>")
    await harness.start()
    await harness.wait_committed(1)
    await harness.wait_for(lambda: len(harness.log.records("hss.echo")) == 2)
    letters = [dict(record.headers) for record in harness.log.records("hss.dead-letters")]

    assert [b"failed", b"unreadable"] == sorted(letter["hss-reason"] for letter in letters)
    assert all(letter["hss-origin"].startswith(b"hss/hss.mail/") for letter in letters)


async def test_one_alone_keeps_company_out():
    """Who is alone waits for those inside, and those who come later wait for it."""
    gate = Gate()
    seen = []
    leave = asyncio.Event()

    async def company(name):
        async with gate.together():
            seen.append(name)
            await leave.wait()
            seen.append(f"{name} left")

    async def loner():
        async with gate.alone():
            seen.append("alone")

    tasks = [asyncio.create_task(one) for one in (company("a"), company("b"), loner(), company("c"))]
    await asyncio.sleep(0)
    leave.set()
    await asyncio.gather(*tasks)

    assert ["a", "b", "a left", "b left", "alone", "c", "c left"] == seen
