"""Labels over HTTP into a real Kafka: on the topic before the answer, with the token's role."""

import json

import pytest
from aiokafka import AIOKafkaConsumer

from hss_stream.gateway.token_file import create_token
from hss_stream.stream.admin import admin_client, create_topics
from hss_stream.stream.label_sender import KafkaLabelSender
from hss_stream.stream.topics import Topics
from tests.unit.gateway.running import running

pytestmark = [pytest.mark.services, pytest.mark.slow]


async def test_label_is_in_kafka_before_the_answer(kafka, tmp_path):
    """A label is acknowledged by the broker before 202; its role is the token's, whatever the client says."""
    tokens = tmp_path / "tokens"
    _, editor = create_token(tokens, "desk", ("label",), "editor")
    _, reader = create_token(tokens, "mx", ("lookup",), "reporter")
    topics = Topics("gateway-labels.")
    topic = topics.labels
    async with admin_client([kafka.address], {}) as client:
        await create_topics(client, topics.plans(), 1, 1)
    sender = KafkaLabelSender([kafka.address], topic, {}, seconds=30.0)
    label = {"subject": "nameserver", "id": "NS1.Bad.example.", "label": "spam", "note": "seen"}
    async with running(tokens=tokens, labels=sender) as gateway:
        status, _, answer = await gateway.call(
            "POST", "/v1/labels", json=label, headers={"Authorization": f"Bearer {editor}"}
        )
        refused, _, _ = await gateway.call(
            "POST", "/v1/labels", json=label, headers={"Authorization": f"Bearer {reader}"}
        )
    await sender.close()
    consumer = AIOKafkaConsumer(topic, bootstrap_servers=kafka.address, auto_offset_reset="earliest")
    await consumer.start()
    record = await consumer.getone()
    await consumer.stop()
    value = json.loads(record.value)

    assert (202, 403) == (status, refused)
    assert ("editor", "bad.example") == (answer["role"], answer["id"])
    assert b"nameserver:bad.example" == record.key
    assert ("editor", "desk", "spam", "seen") == tuple(
        value[one] for one in ("role", "client", "label", "note")
    )
