"""How to reach Kafka: addresses, TLS and login, the same for the worker and for our other clients."""

import ssl
from typing import Any

from aiokafka.helpers import create_ssl_context

from hss_stream.stream.options import KafkaSettings


def ssl_context(kafka: KafkaSettings) -> ssl.SSLContext | None:
    """Return the TLS context the settings describe; None where connections are plain."""
    if kafka.security_protocol not in {"SSL", "SASL_SSL"}:
        return None
    password = None if kafka.key_password is None else kafka.key_password.get_secret_value()
    context: ssl.SSLContext = create_ssl_context(
        cafile=kafka.ca_file, certfile=kafka.cert_file, keyfile=kafka.key_file, password=password
    )
    return context


def client_options(kafka: KafkaSettings) -> dict[str, Any]:
    """Return what an aiokafka client of our own needs to connect as the worker does."""
    options: dict[str, Any] = {
        "security_protocol": kafka.security_protocol,
        "ssl_context": ssl_context(kafka),
    }
    if kafka.security_protocol.startswith("SASL"):
        options["sasl_mechanism"] = kafka.sasl_mechanism
        options["sasl_plain_username"] = kafka.username
        options["sasl_plain_password"] = kafka.password.get_secret_value() if kafka.password else None
    return options


def bootstrap_servers(broker: str) -> list[str]:
    """Return host:port of each broker named by a setting like kafka://a:9092;kafka://b:9092."""
    return [part.split("://")[-1] for part in broker.replace(",", ";").split(";") if part]
