"""TLS and login for Kafka: the same settings reach the worker and every other client."""

import asyncio
import ssl
import subprocess

import pytest
from faust.types.auth import SASLMechanism
from pydantic import SecretStr

from hss_stream.observe.metrics import Metrics
from hss_stream.stream.connection import bootstrap_servers, client_options, ssl_context
from hss_stream.stream.faust_app import create_faust_app
from hss_stream.stream.options import KafkaSettings, WorkerSettings


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Return a self-signed certificate of 127.0.0.1 and its key."""
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-keyout", key, "-out", cert], check=True, capture_output=True)
    return cert, key


def test_plain_connections_have_no_context():
    """Without TLS there is nothing to check."""
    options = client_options(KafkaSettings())

    assert ("PLAINTEXT", None) == (options["security_protocol"], ssl_context(KafkaSettings()))
    assert "sasl_mechanism" not in options


@pytest.mark.parametrize("protocol", ["SSL", "SASL_SSL"])
def test_tls_checks_the_broker(certificate, protocol):
    """With TLS certificates and names of brokers are checked."""
    context = ssl_context(KafkaSettings(security_protocol=protocol, ca_file=str(certificate[0])))

    assert (ssl.CERT_REQUIRED, True) == (context.verify_mode, context.check_hostname)


def test_worker_logs_in_as_other_clients_do(certificate):
    """Name, password, mechanism and trust reach Faust's consumer and producer."""
    kafka = KafkaSettings(
        security_protocol="SASL_SSL", sasl_mechanism="SCRAM-SHA-256", username="hss",
        password=SecretStr("secret"), ca_file=str(certificate[0]),
    )  # fmt: skip
    app = create_faust_app("hss", "kafka://a:1,kafka://b:2", kafka, WorkerSettings(), Metrics())
    credentials, options = app.conf.broker_credentials, client_options(kafka)

    assert (SASLMechanism.SCRAM_SHA_256, "hss", "secret") == (
        credentials.mechanism,
        credentials.username,
        credentials.password,
    )
    assert ("SASL_SSL", "SCRAM-SHA-256", "hss", "secret") == (
        options["security_protocol"],
        options["sasl_mechanism"],
        options["sasl_plain_username"],
        options["sasl_plain_password"],
    )
    assert credentials.ssl_context is not None
    assert ["a:1", "b:2"] == bootstrap_servers("kafka://a:1,kafka://b:2")


async def test_handshake_needs_trust(certificate):
    """A server whose certificate we trust is spoken to; any other is refused."""
    server_side = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server_side.load_cert_chain(*certificate)
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=server_side)
    port = server.sockets[0].getsockname()[1]
    trusting = ssl_context(KafkaSettings(security_protocol="SSL", ca_file=str(certificate[0])))
    _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting)
    version = writer.get_extra_info("ssl_object").version()
    writer.close()
    with pytest.raises(ssl.SSLCertVerificationError):
        await asyncio.open_connection(
            "127.0.0.1", port, ssl=ssl_context(KafkaSettings(security_protocol="SSL"))
        )
    server.close()

    assert version in {"TLSv1.2", "TLSv1.3"}
