"""The gateway as a program on a real store: what is killed costs what it must, and no more."""

import json
import os
import re
import resource
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from socket import create_connection

import pytest

from hss_stream.gateway.redis_rates import RedisRates
from hss_stream.store.address import StoreAddress
from hss_stream.store.embedded import server_program
from hss_stream.store.wire import Wire
from tests.conftest import require
from tests.contract.conftest import start_server
from tests.services.programs import running_gateway, running_valkey
from tests.waiting import wait_for

pytestmark = [pytest.mark.slow]

URL = "/v1/url?url=http://a.example/"
IDLE = 10_000


def children(pid):
    """Return the processes a process has started."""
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in tasks.read_text().split()]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Run one Valkey that tests may kill, if they start it again."""
    folder = tmp_path_factory.mktemp("v")
    processes = [start_server(server_program(), folder)[0]]
    yield folder, processes
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def gateway(store):
    """Run one gateway of two processes for all tests; starting it is what takes time."""
    with running_gateway(f"unix://{store[0]}/s", 2) as program:
        yield program


def test_killed_store_degrades_and_heals(store, gateway):
    """With the store killed answers are degraded and readiness false; with it back both heal alone."""
    folder, processes = store
    processes[-1].kill()
    processes[-1].wait()
    gateway.wait_for(503)
    status, body = gateway.get("/v1/url?url=http://b.example/")
    processes.append(start_server(server_program(), folder)[0])
    gateway.wait_for(200)
    away = json.loads(body)

    assert (200, True, "unknown") == (status, away["degraded"], away["verdict"])
    while json.loads(gateway.get("/v1/url?url=http://c.example/")[1])["degraded"]:
        pass


def test_killed_process_costs_its_own_requests(gateway):
    """One of two processes killed under load: only what it had in hand fails, and it is replaced."""
    victim = children(gateway.process.pid)[0]
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(gateway.get, URL) for _ in range(400)]
        os.kill(victim, signal.SIGKILL)
        seen = [one.result()[0] for one in asked]

    assert {0, 200} >= set(seen)
    # One request of each of four threads, and what the kernel had queued for the killed process.
    assert seen.count(0) <= 8
    gateway.wait_for_listeners(2)
    gateway.wait_for(200)


def test_metrics_of_processes_add_up(gateway):
    """Whichever process is asked, `/metrics` soon counts the requests of all, each once."""

    def count():
        text = gateway.get("/metrics")[1].decode()
        found = re.search(r'requests_total{route="cluster",status="422"} (\S+)', text)
        return float(found[1]) if found else 0.0

    before = count()
    for _ in range(20):
        assert 422 == gateway.get("/v1/cluster/nothing")[0]

    wait_for(lambda: [before + 20] * 4 == [count() for _ in range(4)])

    assert before + 20 == count()


async def test_rates_are_shared_in_redis(tmp_path):
    """Two processes take from one bucket: together they get what one would get."""
    with running_valkey(tmp_path) as (_, path):
        wires = [Wire(StoreAddress(path=path)) for _ in range(2)]
        first, second = (RedisRates(wire, "hss") for wire in wires)
        taken = [
            await first.take("token:a", 30, 0.001, 50),
            await second.take("token:a", 30, 0.001, 50),
            await first.take("token:a", 30, 0.001, 50),
            await second.take("token:b", 30, 0.001, 50),
        ]
        for wire in wires:
            await wire.close()

        assert [30, 20, 0, 30] == taken


def test_idle_connections_leave_room(store):
    """With 10,000 idle connections, a fifth in the middle of a header, real requests are still answered."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    require(most >= IDLE + 1000, f"this process may open only {most} files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with running_gateway(f"unix://{store[0]}/s", header_seconds=600) as gateway, ExitStack() as stack:
        for number in range(IDLE):
            idle = stack.enter_context(create_connection(("127.0.0.1", gateway.port)))
            if number % 5 == 0:
                idle.sendall(b"GET /healthz HTTP/1.1\r\nX-Slow: ")
        seen = [gateway.get(URL)[0] for _ in range(50)]
        text = gateway.get("/metrics")[1].decode()
        wait_for(lambda: open_connections(gateway) >= IDLE)

    assert [200] * 50 == seen
    assert 'limit="connections"' not in text


def open_connections(gateway):
    """Return how many connections the gateway counts."""
    found = re.search(r"^hss_gateway_connections (\S+)", gateway.get("/metrics")[1].decode(), re.MULTILINE)
    return float(found[1]) if found else 0.0
