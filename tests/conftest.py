"""Settings of the whole test suite: honest skips, and Hypothesis profiles that do not measure time."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Kernels compile on first use and machines are shared: a deadline would only measure that.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")


def require(condition: object, reason: str) -> None:
    """Skip with a reason when a service is missing; in CI a missing service is a failure."""
    if condition:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must not lack this: {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def evaluation_data() -> Path:
    """Return the folder of real data, or skip: evaluation on real data is optional, also in CI."""
    name = os.environ.get("EVALUATION_DATA")
    if not name:
        pytest.skip("no real data: set EVALUATION_DATA to the folder it was unpacked to")
    return Path(name)
