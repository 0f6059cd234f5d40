"""The real programs a gateway needs, started for a test: a Valkey on a socket, and the gateway itself."""

import os
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from hss_stream.store.embedded import server_program
from tests.contract.conftest import start_server
from tests.services.rspamd import free_port

START_SECONDS = 60
POLL_SECONDS = 0.02
LISTEN = "0A"  # the state in /proc/net/tcp


@contextmanager
def running_valkey(folder):
    """Run the Valkey of the wheel; yield its process and the path of its socket."""
    process, path = start_server(server_program(), folder)
    try:
        yield process, path
    finally:
        process.kill()
        process.wait()


class GatewayProgram:
    """`hss-stream gateway` as a process, and plain HTTP to it."""

    def __init__(self, port, process):
        self.port = port
        self.process = process

    def get(self, path, method="GET", body=None, headers=None):
        """Return status and body over a connection of its own; (0, b"") when nobody answers."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=10)) as connection:
            try:
                connection.request(method, path, body, headers or {})
                answer = connection.getresponse()
                return answer.status, answer.read()
            except (OSError, HTTPException):
                return 0, b""

    def listeners(self):
        """Return how many processes listen on the port."""
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return sum(line[1].endswith(f":{self.port:04X}") and line[3] == LISTEN for line in lines)

    def wait_for_listeners(self, count):
        """Wait until so many processes listen."""
        while self.listeners() < count:
            assert self.process.poll() is None
            time.sleep(POLL_SECONDS)

    def wait_for(self, status, path="/readyz"):
        """Wait until a path answers with this status."""
        deadline = time.monotonic() + START_SECONDS
        while self.get(path)[0] != status:
            assert self.process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(POLL_SECONDS)


@contextmanager
def running_gateway(redis, processes=1, port=None, **settings):
    """Run the program for a while."""
    port = port or free_port()
    names = {f"HSS_GATEWAY__{name.upper()}": str(value) for name, value in settings.items()}
    environment = {
        **os.environ,
        "HSS_REDIS": redis,
        "HSS_GATEWAY__PORT": str(port),
        "HSS_GATEWAY__PROCESSES": str(processes),
        **names,
    }
    program = [sys.executable, "-c", "from hss_stream.cli import main; main()", "gateway"]
    process = subprocess.Popen(program, env=environment, stderr=subprocess.DEVNULL)
    try:
        gateway = GatewayProgram(port, process)
        gateway.wait_for_listeners(processes)
        gateway.wait_for(200)
        yield gateway
    finally:
        process.terminate()
        process.wait(30)
