"""The stream put together: app, flow, keeper and agent, on Kafka or on the embedded broker."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hss_stream.observe.metrics import Metrics
from hss_stream.store.page_marks import Partition
from hss_stream.stream.agents import register_pages
from hss_stream.stream.faust_app import StreamApp, create_faust_app
from hss_stream.stream.keeper import Keeper
from hss_stream.stream.memory_log import MemoryLog
from hss_stream.stream.options import KafkaSettings, WorkerSettings
from hss_stream.stream.page_flow import PageFlow
from hss_stream.stream.page_record import PageFacts
from hss_stream.stream.page_step import PageMarks, PageStep
from hss_stream.stream.page_work import FlowParts
from hss_stream.stream.parts import BodyReader
from hss_stream.stream.senders import KafkaSender, MemorySender
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
class PageStream:
    """A stream ready to be started, once."""

    app: StreamApp
    flow: PageFlow
    keeper: Keeper
    topics: Topics


def create_page_stream(
    setup: StreamSetup,
    step: PageStep,
    marks: PageMarks,
    metrics: Metrics,
    open_reader: Callable[[PageFacts], BodyReader[object]],
    memory_log: MemoryLog | None = None,
) -> PageStream:
    """Return a stream that places the pages of `hss.pages`."""
    app = create_faust_app(setup.group, setup.broker, setup.kafka, setup.worker, metrics, memory_log)
    sender = KafkaSender(app) if memory_log is None else MemorySender(app)
    parts = FlowParts(step, marks, sender, setup.topics, setup.group, setup.worker, metrics)

    def settle(partition: Partition, offsets: Sequence[int]) -> None:
        # The consumer is made when the app starts.
        app.consumer.settle(partition, offsets)

    flow = PageFlow(parts, settle)
    keeper = Keeper(flow, step, marks, setup.worker, metrics, open_reader)
    app.keeper = keeper
    register_pages(app, setup.topics.pages, flow, setup.worker)
    return PageStream(app, flow, keeper, setup.topics)
