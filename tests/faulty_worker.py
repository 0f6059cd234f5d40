"""`python -m tests.faulty_worker`: the real worker with faults on request.

TEST_RAISE_SHARE   share of calls of the step that raise, e.g. 0.01
TEST_POISON        a page whose URL contains this makes the step raise every time
TEST_KILLER        a page whose URL contains this kills the process that reads it
"""

import os
import random
import signal

from hss_stream.commands.worker import command
from hss_stream.stream.place_step import PlaceStep

RAISE_SHARE = float(os.environ.get("TEST_RAISE_SHARE", "0"))
POISON = os.environ.get("TEST_POISON", "")
KILLER = os.environ.get("TEST_KILLER", "")

real_scan, real_place = PlaceStep.scan, PlaceStep.place


async def scan(self, partition, pages):
    """Scan pages, or do what the environment asks for."""
    for page in pages:
        if KILLER and KILLER in page.facts.url:
            os.kill(os.getpid(), signal.SIGKILL)
        if POISON and POISON in page.facts.url:
            raise ValueError("poison")
    return await real_scan(self, partition, pages)


async def place(self, partition, scanned):
    """Place pages, or raise now and then."""
    if random.random() < RAISE_SHARE:
        raise RuntimeError("raised on purpose")
    return await real_place(self, partition, scanned)


if __name__ == "__main__":
    PlaceStep.scan = scan
    PlaceStep.place = place
    command()
