"""Real programs, started once a session on free ports; each test takes its own topics."""

from collections.abc import Iterator

import pytest

from tests.conftest import require
from tests.kafka_broker import KafkaBroker, missing_for_kafka


@pytest.fixture(scope="session")
def kafka(tmp_path_factory) -> Iterator[KafkaBroker]:
    """A real Apache Kafka broker; what kills it has to start one of its own."""
    missing = missing_for_kafka()
    require(missing is None, f"a real Kafka needs {missing}")
    broker = KafkaBroker(tmp_path_factory.mktemp("kafka"))
    broker.start()
    yield broker
    broker.stop()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of the shared broker in one process where several run: the others need none."""
    for item in items:
        if "kafka" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("kafka"))
