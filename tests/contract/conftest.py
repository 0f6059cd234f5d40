"""The stores that every promise is tried on: in memory, Valkey from the wheel, Debian's Redis."""

import contextlib
import shutil
import socket
import subprocess
import time

import pytest

from hss_stream.store.address import StoreAddress
from hss_stream.store.embedded import server_program
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.store.memory_providers import MemoryProviderStore
from hss_stream.store.redis_providers import RedisProviderStore
from hss_stream.store.redis_store import RedisClusterStore
from tests.conftest import require

PROGRAMS = {"valkey": server_program, "redis": lambda: shutil.which("redis-server")}


def start_server(program, folder):
    """Start a server on a socket in a folder; return the process and the socket's path."""
    path = f"{folder}/s"
    process = subprocess.Popen(
        [
            program,
            "--port",
            "0",
            "--unixsocket",
            path,
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            str(folder),
        ],
        stdout=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 30
    while True:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
            probe.connect(path)
            return process, path
        assert time.monotonic() < deadline


@pytest.fixture(scope="session")
def servers(tmp_path_factory):
    """Start each server once; give the path of its socket."""
    running = {}

    def path_of(kind):
        if kind not in running:
            program = PROGRAMS[kind]()
            require(program, "no redis-server: run `make services`")
            running[kind] = start_server(program, tmp_path_factory.mktemp("s"))
        return running[kind][1]

    yield path_of
    for process, _ in running.values():
        process.kill()
        process.wait()


PREFIXES = iter(range(10**9))


@pytest.fixture(params=["memory", "valkey", pytest.param("redis", marks=pytest.mark.services)])
def make_store(request, servers):
    """Return a function that makes new, empty stores of one kind."""

    def make(rules=None, limits=None):
        if request.param == "memory":
            return MemoryClusterStore(rules, limits)
        path = servers(request.param)
        return RedisClusterStore(StoreAddress(path=path), rules, limits, prefix=f"p{next(PREFIXES)}")

    return make


@pytest.fixture(params=["memory", "valkey", pytest.param("redis", marks=pytest.mark.services)])
async def providers(request, servers):
    """Return an open, empty store of providers of one kind, whose entries live a thousand seconds."""
    if request.param == "memory":
        store = MemoryProviderStore(lifetime_seconds=1000)
    else:
        address = StoreAddress(path=servers(request.param))
        store = RedisProviderStore(address, prefix=f"p{next(PREFIXES)}", lifetime_seconds=1000)
    await store.open()
    yield store
    await store.close()
