"""The id of a topic: the same name with another id is another topic, made anew.

aiokafka asks for metadata in a version that has no ids yet, so the request is spelled here: version 10
of Kafka's Metadata, which brokers answer since 2.8.
"""

import uuid
from collections.abc import Iterable
from io import BytesIO
from typing import Any

from aiokafka.errors import KafkaError
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.types import (
    AbstractType,
    Boolean,
    CompactArray,
    CompactString,
    Int16,
    Int32,
    Schema,
    TaggedFields,
)

from hss_stream.errors import StreamError

_TEXT = CompactString("utf-8")


class _Uuid(AbstractType[bytes]):  # type: ignore[misc] # aiokafka has no types here
    @classmethod
    def encode(cls, value: bytes) -> bytes:
        return value

    @classmethod
    def decode(cls, data: BytesIO) -> bytes:
        return data.read(16)


class _Response(Response):  # type: ignore[misc] # the same
    API_KEY = 3
    API_VERSION = 10
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "brokers",
            CompactArray(
                ("id", Int32), ("host", _TEXT), ("port", Int32), ("rack", _TEXT), ("tags", TaggedFields)
            ),
        ),
        ("cluster_id", _TEXT),
        ("controller_id", Int32),
        (
            "topics",
            CompactArray(
                ("error_code", Int16),
                ("name", _TEXT),
                ("topic_id", _Uuid),
                ("is_internal", Boolean),
                (
                    "partitions",
                    CompactArray(
                        ("error_code", Int16),
                        ("partition", Int32),
                        ("leader", Int32),
                        ("leader_epoch", Int32),
                        ("replicas", CompactArray(Int32)),
                        ("isr", CompactArray(Int32)),
                        ("offline", CompactArray(Int32)),
                        ("tags", TaggedFields),
                    ),
                ),
                ("authorized_operations", Int32),
                ("tags", TaggedFields),
            ),
        ),
        ("authorized_operations", Int32),
        ("tags", TaggedFields),
    )


class _RequestV10(RequestStruct):  # type: ignore[misc] # the same
    FLEXIBLE_VERSION = True
    API_KEY = 3
    API_VERSION = 10
    RESPONSE_TYPE = _Response
    SCHEMA = Schema(
        ("topics", CompactArray(("topic_id", _Uuid), ("name", _TEXT), ("tags", TaggedFields))),
        ("allow_auto_topic_creation", Boolean),
        ("include_cluster_authorized_operations", Boolean),
        ("include_topic_authorized_operations", Boolean),
        ("tags", TaggedFields),
    )


class _IdsRequest(Request[_RequestV10]):  # type: ignore[misc] # the same
    API_KEY = 3

    def __init__(self, topics: Iterable[str]) -> None:
        self._topics = list(topics)

    def build(self, request_struct_class: type[_RequestV10]) -> _RequestV10:
        names: list[tuple[bytes, str, dict[int, bytes]]] = [(bytes(16), name, {}) for name in self._topics]
        return request_struct_class(names, False, False, False, {})  # noqa: FBT003 - Kafka's order


async def topic_ids(client: Any, topics: Iterable[str]) -> dict[str, str]:
    """Return the ids of topics by name, those that are there; `client` is an admin client."""
    try:
        answer = await client._send_request(_IdsRequest(topics))  # noqa: SLF001 - for requests of one's own
    except KafkaError as error:
        raise StreamError(f"asking Kafka for topic ids: {error!r}; is it running?") from error
    return {name: str(uuid.UUID(bytes=found)) for code, name, found, *_ in answer.topics if code == 0}
