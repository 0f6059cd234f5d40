"""The store against real servers in every state: killed, full, read-only, closed, encrypted."""

import asyncio
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hss_stream.errors import SettingsError, StoreError
from hss_stream.store.effects import Join, Represent
from hss_stream.store.embedded import EmbeddedServer, server_program
from hss_stream.store.failures import StoreFullError, StoreReadOnlyError, StoreRefusedError
from hss_stream.store.open_store import make_store
from hss_stream.verdicts.cluster_id import make_id
from tests.conftest import require
from tests.services.programs import free_port
from tests.services.replay_runs import Seen, start_replay, write_pages
from tests.waiting import wait_for

A = make_id(1, 1, 3)


def start(program, folder, *arguments):
    """Start a server that keeps its data in a folder; return it once it answers."""
    path = Path(folder) / "s"
    path.unlink(missing_ok=True)
    options = ["--unixsocket", str(path), "--save", "", "--dir", str(folder), *arguments]
    if "--port" not in arguments and "--tls-port" not in arguments:
        options += ["--port", "0"]
    process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    wait_for(path.exists)
    return process


@pytest.fixture
def server(tmp_path):
    """Return a function that starts a server; all end with the test."""
    running = []

    def begin(*arguments, program=None, folder=None):
        where = folder or tmp_path
        running.append(start(program or server_program(), where, *arguments))
        return running[-1], f"unix://{where}/s"

    yield begin
    for process in running:
        process.kill()
        process.wait()


def opening(offset):
    """Return effects that store something."""
    url = b"https://x.example/"
    return {
        3: [
            Join(offset, 1, "s", A, 128, 1, url, opens=True),
            Represent(offset, 1, "s", A, A, b"\1" * 256, b"", url),
        ]
    }


def test_killed_server_changes_nothing(tmp_path, server):
    """A server killed and started again in the middle of a run: nothing is lost, nothing counted twice."""
    source, keeps = tmp_path / "pages.jsonl", ("--appendonly", "yes")
    write_pages(source, 1200)
    (tmp_path / "calm").mkdir()
    (tmp_path / "rough").mkdir()
    calm, rough = Seen(), Seen()
    _, address = server(*keeps, folder=tmp_path / "calm")
    assert 0 == calm.read(start_replay(source, address), None)
    process, address = server(*keeps, folder=tmp_path / "rough")
    run = start_replay(source, address)
    first = run.stdout.readline()
    process.kill()
    process.wait()
    server(*keeps, folder=tmp_path / "rough")
    assert 0 == rough.read(run, None)

    rough.events = {json.loads(first)["id"]: first, **rough.events}
    assert calm.events == rough.events
    assert calm.report == rough.report


def test_server_away_for_good_is_an_error(tmp_path):
    """A server that does not come back: one line that says so, and exit code 1."""
    source = tmp_path / "pages.jsonl"
    write_pages(source, 5)
    run = start_replay(source, f"unix://{tmp_path}/nobody", "--away", "0.3")
    _, error = run.communicate()

    assert 1 == run.returncode
    assert 1 == len(error.splitlines())
    assert b"has not answered" in error


async def test_full_server_says_so_and_applies_nothing(server):
    """Out of memory: an error that says so, and nothing half applied."""
    _, address = server("--maxmemory", "1mb", "--maxmemory-policy", "noeviction")
    store = make_store(address, away_seconds=1)
    with pytest.raises(StoreFullError, match="out of memory"):
        await store.open()
    await store.close()


async def test_replica_is_refused(server, tmp_path):
    """A read-only replica: an error that says so."""
    port = free_port()
    server("--port", str(port))
    (tmp_path / "replica").mkdir()
    _, address = server("--replicaof", "127.0.0.1", str(port), folder=tmp_path / "replica")
    store = make_store(address, away_seconds=20)
    with pytest.raises(StoreReadOnlyError, match="read-only"):
        await store.open()
    await store.close()


async def test_password_and_user(server):
    """A user of an access list is let in with the password, and told what is wrong without."""
    _, address = server("--user", "default", "off", "--user", "hss", "on", ">secret", "~*", "+@all")
    wrong, right = (
        make_store(address.replace("unix://", f"unix://hss:{word}@host"), away_seconds=1)
        for word in ("no", "secret")
    )
    with pytest.raises(StoreRefusedError, match="password"):
        await wrong.open()
    await right.open()
    assert await right.apply(1, opening(1))
    await right.close()
    await wrong.close()


def make_certificate(key, certificate):
    """Write a key and a certificate for this machine."""
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
        ],
        check=True, capture_output=True,
    )  # fmt: skip


@pytest.mark.services
async def test_encrypted(server, tmp_path):
    """`rediss://` speaks TLS, and trusts only the certificates it was told to."""
    program = shutil.which("redis-server")
    require(program and shutil.which("openssl"), "no redis-server or openssl: run `make services`")
    key, certificate, port = tmp_path / "key.pem", tmp_path / "cert.pem", free_port()
    make_certificate(key, certificate)
    server(
        "--tls-port", str(port), "--port", "0", "--tls-cert-file", str(certificate), "--tls-key-file",
        str(key), "--tls-auth-clients", "no", "--tls-ca-cert-file", str(certificate), program=program,
    )  # fmt: skip
    store = make_store(f"rediss://localhost:{port}/0?ca={certificate}", away_seconds=5)
    await store.open()
    assert await store.apply(1, opening(1))
    await store.close()
    stranger = make_store(f"rediss://localhost:{port}/0", away_seconds=0.2)
    with pytest.raises(StoreError):
        await stranger.open()


def test_cluster_of_servers_is_refused():
    """A Redis Cluster is refused in so many words."""
    with pytest.raises(SettingsError, match="not supported yet"):
        make_store("redis+cluster://host:6379")


USER = (
    "import sys; from hss_stream.store.embedded import EmbeddedServer;"
    "print(EmbeddedServer(sys.argv[1]).start(), flush=True); sys.stdin.read()"
)


def use(folder):
    """Start a process that uses the embedded store of a folder; return it and the path of its socket."""
    process = subprocess.Popen(
        [sys.executable, "-c", USER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    return process, Path(process.stdout.readline().strip())


async def is_there(path):
    """Tell whether a store answers on a socket."""
    store = make_store(f"unix://{path}", away_seconds=5)
    await store.open()
    await store.close()
    return True


def leave(process):
    """End a process without giving it a chance to tidy up."""
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_embedded_server_ends_with_its_last_user(tmp_path):
    """A second process joins the running server, which ends with the last, even after kill -9."""
    first, path = use(tmp_path / "store")
    second, other = use(tmp_path / "store")
    assert path == other
    leave(first)
    assert path.exists()
    assert asyncio.run(is_there(path))
    leave(second)

    wait_for(lambda: not path.exists())


async def test_embedded_store_finds_its_data_again(tmp_path):
    """`embedded://PATH` keeps what was stored."""
    address = f"embedded://{tmp_path}/store"
    store = make_store(address)
    await store.open()
    await store.apply(1, opening(1))
    await store.close()
    again = make_store(address)
    await again.open()

    assert 1 == (await again.read_clusters("s", [A]))[0].pages
    await again.close()


def test_temporary_server_vanishes():
    """`embedded://` without a path leaves no socket and no folder."""
    server = EmbeddedServer()
    path = Path(server.start())
    server.stop()

    wait_for(lambda: not path.exists() and not server.folder.exists())
