"""The stream put together: app, flows, keeper and agents, on Kafka or on the embedded broker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hss_stream.observe.metrics import Metrics
from hss_stream.store.page_marks import Partition
from hss_stream.stream.admin import admin_client
from hss_stream.stream.agents import register_agent
from hss_stream.stream.connection import bootstrap_servers, client_options
from hss_stream.stream.faust_app import StreamApp, create_faust_app
from hss_stream.stream.gate import Gate
from hss_stream.stream.keeper import Keeper
from hss_stream.stream.memory_log import MemoryLog
from hss_stream.stream.options import KafkaSettings, WorkerSettings
from hss_stream.stream.partition_work import WorkerParts
from hss_stream.stream.patience import Patience
from hss_stream.stream.record_flow import RecordFlow
from hss_stream.stream.senders import KafkaSender, MemorySender
from hss_stream.stream.step import RecordMarks, RecordStep
from hss_stream.stream.topic_ids import topic_ids
from hss_stream.stream.topics import Topics


@dataclass(frozen=True)
class StreamSetup:
    """Where a stream runs and how."""

    group: str
    broker: str
    topics: Topics
    kafka: KafkaSettings
    worker: WorkerSettings


@dataclass(frozen=True)
class RecordStream:
    """A stream ready to be started, once; `flows` by topic."""

    app: StreamApp
    flows: Mapping[str, RecordFlow]
    keeper: Keeper
    parts: WorkerParts


def create_stream(
    setup: StreamSetup,
    steps: Mapping[str, RecordStep],
    marks: RecordMarks,
    metrics: Metrics,
    memory_log: MemoryLog | None = None,
) -> RecordStream:
    """Return a stream that gives the records of each topic to its step."""
    app = create_faust_app(setup.group, setup.broker, setup.kafka, setup.worker, metrics, memory_log)
    app.parcel_limits = setup.worker.batch_pages, setup.worker.batch_bytes
    sender = KafkaSender(app) if memory_log is None else MemorySender(app)
    patience = Patience(setup.worker.retry_seconds, metrics)
    parts = WorkerParts(
        *(marks, sender, setup.topics, setup.group, setup.worker, metrics, patience), gate=Gate()
    )

    def settle(partition: Partition, offsets: Sequence[int]) -> None:
        # The consumer is made when the app starts.
        app.consumer.settle(partition, offsets)

    flows = {topic: RecordFlow(parts, step, settle) for topic, step in steps.items()}

    async def incarnations() -> Mapping[str, str]:
        if memory_log is not None:
            return {}
        options = client_options(setup.kafka)
        async with admin_client(bootstrap_servers(setup.broker), options) as client:
            return await topic_ids(client, flows)

    app.keeper = keeper = Keeper(flows, parts, incarnations)
    for topic, flow in flows.items():
        register_agent(app, topic, flow, setup.worker)
    return RecordStream(app, flows, keeper, parts)
