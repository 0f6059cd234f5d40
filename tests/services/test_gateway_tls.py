"""Mutual TLS with real certificates, made here: whoever has none gets no answer at all."""

import shutil
import ssl
import subprocess

import aiohttp
import pytest

from hss_stream.gateway.compose import build_server
from hss_stream.gateway.lookups import SpaceStores
from hss_stream.gateway.options import GatewaySettings
from hss_stream.gateway.tls import server_context
from hss_stream.observe.gateway_metrics import GatewayMetrics
from hss_stream.store.memory import MemoryClusterStore
from tests.conftest import require


def openssl(*arguments):
    """Run openssl."""
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """Make an authority, a stranger's authority, and certificates of server, client and stranger."""
    require(shutil.which("openssl"), "openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for authority in ("ours", "theirs"):
        files = ("-keyout", folder / f"{authority}.key", "-out", folder / f"{authority}.pem")
        openssl("req", "-x509", *key, *files, "-subj", f"/CN={authority}", "-days", 2)
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1")
    for name, authority in (("server", "ours"), ("client", "ours"), ("stranger", "theirs")):
        openssl("req", *key, "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.csr",
                "-subj", f"/CN={name}")  # fmt: skip
        openssl("x509", "-req", "-in", folder / f"{name}.csr", "-CA", folder / f"{authority}.pem", "-CAkey",
                folder / f"{authority}.key", "-CAcreateserial", "-out", folder / f"{name}.pem", "-days", 2,
                "-extfile", folder / "names")  # fmt: skip
    return folder


async def ask(port, folder, name):
    """Return the status of a request with the certificate of somebody; None when TLS refused it."""
    context = ssl.create_default_context(cafile=str(folder / "ours.pem"))
    if name is not None:
        context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    async with aiohttp.ClientSession() as client:
        try:
            async with client.get(f"https://127.0.0.1:{port}/healthz", ssl=context) as answer:
                return answer.status
        except (aiohttp.ClientError, ssl.SSLError):
            return None


async def test_only_known_certificates_get_in(certificates):
    """A client with a certificate of our authority is answered; without one, or with another's, it is not."""
    settings = GatewaySettings(
        port=0,
        tls_cert_file=str(certificates / "server.pem"),
        tls_key_file=str(certificates / "server.key"),
        tls_client_ca_file=str(certificates / "ours.pem"),
    )
    server = build_server(settings, SpaceStores(MemoryClusterStore()), metrics=GatewayMetrics())
    port = await server.start("127.0.0.1", 0, server_context(settings))
    answers = [await ask(port, certificates, name) for name in ("client", None, "stranger")]
    await server.stop(1.0)

    assert [200, None, None] == answers
