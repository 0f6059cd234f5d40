"""Labels into Kafka, each acknowledged by all replicas before anybody is told that it counts."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import orjson
from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from hss_stream.errors import StreamError

FORMAT = 1


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """Somebody's word, as `hss.labels` holds it; `client` is who vouches for it, `by` with which token."""

    subject: str
    id: str
    label: str
    role: str
    client: str
    by: str
    at: str
    note: str = ""

    @property
    def key(self) -> bytes:
        """The key of the record: labels of one subject stay in order."""
        return f"{self.subject}:{self.id}".encode()

    def to_json(self) -> bytes:
        """Return the value of the record."""
        return orjson.dumps({"format": FORMAT, **asdict(self)})


class LabelSender(Protocol):
    """Sends labels; used by the gateway."""

    async def send(self, label: LabelRecord) -> None:
        """Return once the label is safe; StreamError when that is not known."""

    async def close(self) -> None:
        """Let go of connections."""


class KafkaLabelSender:
    """Sends labels to a topic; connects at the first one, so that the gateway starts without Kafka."""

    def __init__(
        self, servers: Sequence[str], topic: str, options: dict[str, Any], seconds: float = 5.0
    ) -> None:
        self._servers = list(servers)
        self._topic = topic
        self._options = options
        self._seconds = seconds
        self._producer: Any = None
        self._starting = asyncio.Lock()

    async def send(self, label: LabelRecord) -> None:
        """Return once all replicas have the label."""
        try:
            async with asyncio.timeout(self._seconds):
                producer = await self._connected()
                await producer.send_and_wait(self._topic, label.to_json(), label.key)
        except (KafkaError, TimeoutError) as error:
            raise StreamError(
                f"sending a label to {self._topic}: {type(error).__name__}; is Kafka running?"
            ) from error

    async def close(self) -> None:
        """Send what is under way and disconnect."""
        if self._producer is not None:
            await self._producer.stop()

    async def _connected(self) -> Any:
        async with self._starting:
            if self._producer is None:
                producer = AIOKafkaProducer(
                    bootstrap_servers=self._servers,
                    acks="all",
                    enable_idempotence=True,
                    request_timeout_ms=int(self._seconds * 1000),
                    **self._options,
                )
                try:
                    await producer.start()
                except BaseException:
                    await producer.stop()
                    raise
                self._producer = producer
            return self._producer
