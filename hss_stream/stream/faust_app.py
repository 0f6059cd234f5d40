"""The Faust app: how it is set up, and what our consumer finds in it.

Made anew for every run (an app cannot be started twice), nothing at import, no tables, no
`exactly_once`, no environment variables of Faust's own.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import faust
from faust.types import TP
from faust.types.transports import SchedulingStrategyT

from hss_stream.observe.metrics import Metrics
from hss_stream.stream.connection import bootstrap_servers, ssl_context
from hss_stream.stream.memory_log import MemoryLog
from hss_stream.stream.options import KafkaSettings, WorkerSettings
from hss_stream.stream.safe_consumer import PartitionKeeper
from hss_stream.stream.topics import MAX_REQUEST_BYTES

# Bytes of bodies between Kafka and the batch in hand; fetches wait while more is held.
BUFFER_BYTES = 64 << 20
# One fetch brings at most this much of a partition (or one record, if larger): about a batch of pages.
FETCH_BYTES = 4 << 20
# Parcels of a topic that wait for its agent; bytes bound memory, this only bounds tiny ones.
BUFFER_PARCELS = 64
COMMIT_SECONDS = 0.5


class PartitionAtATime(SchedulingStrategyT):
    """Hands out a fetch partition by partition: batches of one partition cost the store fewer calls."""

    def iterate(self, records: Mapping[TP, list[Any]]) -> Iterator[tuple[TP, Any]]:
        """Yield the records of one partition after the other."""
        for tp, messages in records.items():
            for message in messages:
                yield tp, message


class StreamApp(faust.App):
    """A Faust app with what `SafeConsumerMixin` asks for."""

    consumer: Any
    keeper: PartitionKeeper
    metrics: Metrics
    drain_seconds: float
    buffer_bytes: int = BUFFER_BYTES
    # Most records and bytes handed to an agent as one event; None: every record is an event.
    parcel_limits: tuple[int, int] | None = None
    memory_log: MemoryLog


def _credentials(kafka: KafkaSettings) -> Any:
    context = ssl_context(kafka)
    if not kafka.security_protocol.startswith("SASL"):
        return context
    return faust.SASLCredentials(
        username=kafka.username,
        password=None if kafka.password is None else kafka.password.get_secret_value(),
        ssl_context=context,
        mechanism=kafka.sasl_mechanism,
    )


def create_faust_app(
    group: str,
    broker: str,
    kafka: KafkaSettings,
    worker: WorkerSettings,
    metrics: Metrics,
    memory_log: MemoryLog | None = None,
) -> StreamApp:
    """Return an app without agents; `memory://` needs a log."""
    embedded = broker.startswith("memory://")
    servers = ";".join(f"safekafka://{server}" for server in bootstrap_servers(broker))
    app = StreamApp(
        group,
        broker="memory://" if embedded else servers,
        broker_credentials=None if embedded else _credentials(kafka),
        env_prefix="HSS_FAUST_UNUSED_",  # Faust's environment variables would win over these arguments
        store="memory://",
        table_standby_replicas=0,
        topic_disable_leader=True,
        topic_allow_declare=False,
        key_serializer="raw",
        value_serializer="raw",
        stream_buffer_maxsize=BUFFER_PARCELS,
        stream_wait_empty=True,
        ConsumerScheduler=PartitionAtATime,
        broker_max_poll_records=2 * worker.batch_pages,
        broker_commit_interval=COMMIT_SECONDS,
        broker_commit_every=10_000_000,  # by time only
        broker_session_timeout=kafka.session_timeout_seconds,
        broker_heartbeat_interval=min(3.0, kafka.session_timeout_seconds / 4),
        broker_rebalance_timeout=max(60.0, 2 * worker.drain_seconds),
        broker_request_timeout=max(kafka.request_timeout_seconds, kafka.session_timeout_seconds),
        # The watchdog ends a worker that is stuck; one that waits for Redis keeps its partitions.
        broker_max_poll_interval=86_400.0,
        consumer_max_fetch_size=FETCH_BYTES,
        consumer_auto_offset_reset="earliest",
        consumer_group_instance_id=kafka.instance_id,
        producer_acks=-1,
        producer_max_request_size=MAX_REQUEST_BYTES,
        producer_max_batch_size=1 << 20,
        producer_compression_type=None if kafka.compression == "none" else kafka.compression,
        web_enabled=False,
    )
    app.metrics = metrics
    app.drain_seconds = worker.drain_seconds
    if memory_log is not None:
        app.memory_log = memory_log
    return app
