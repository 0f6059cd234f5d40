"""Waiting for a condition instead of for a time."""

import threading
import time
from collections.abc import Callable


def wait_for(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Return once the condition holds; raise after so long that something must be broken."""
    end = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"the condition did not hold within {seconds} seconds")
        pause.wait(0.02)
