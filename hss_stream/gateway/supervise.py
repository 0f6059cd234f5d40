"""Several gateway processes on one port, kept alive by one that serves nothing itself.

Each process listens with SO_REUSEPORT, so the kernel spreads connections; one that dies takes only its own
connections with it and is started again. Their metrics add up through files in a folder of this run.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from types import FrameType

from prometheus_client.multiprocess import mark_process_dead

from hss_stream.observe import log
from hss_stream.observe.gateway_metrics import MULTIPROCESS

# A process that dies at once, again and again, is started this many seconds apart.
RESTART_SECONDS = 1.0
POLL_SECONDS = 0.1
DRAIN_SECONDS = 15.0


class Supervisor:
    """Starts processes, replaces the dead, ends all when told."""

    def __init__(self, command: list[str], count: int) -> None:
        self._command = command
        self._count = count
        self._processes: list[subprocess.Popen[bytes]] = []
        self._is_stopping = False

    def run(self) -> None:
        """Keep the processes running until SIGTERM or SIGINT."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        with tempfile.TemporaryDirectory(prefix="hss-gateway-") as folder:
            environment = {**os.environ, MULTIPROCESS: folder}
            self._processes = [self._start(environment) for _ in range(self._count)]
            while not self._is_stopping:
                time.sleep(POLL_SECONDS)
                self._replace_dead(environment, folder)
            self._end_all()

    def _start(self, environment: dict[str, str]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(self._command, env=environment)  # noqa: S603 - our own program

    def _replace_dead(self, environment: dict[str, str], folder: str) -> None:
        for place, process in enumerate(self._processes):
            code = process.poll()
            if code is None or self._is_stopping:
                continue
            log.warn("gateway_process_died", pid=process.pid, code=code)
            if Path(folder).is_dir():
                mark_process_dead(process.pid, folder)  # type: ignore[no-untyped-call] # its types are half
            time.sleep(RESTART_SECONDS)
            self._processes[place] = self._start(environment)

    def _end_all(self) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            try:
                process.wait(DRAIN_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._is_stopping = True


def reserve_port(host: str, port: int) -> tuple[socket.socket, int]:
    """Return a socket that holds a port for processes that share it, and the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    held = socket.socket(family)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    held.bind((host, port))
    return held, int(held.getsockname()[1])


def supervise(host: str, port: int, count: int) -> None:
    """Run that many processes on one port until told to stop."""
    held, port = reserve_port(host, port)
    with closing(held):
        log.info("gateway_started", host=host, port=port, processes=count)
        program = "from hss_stream.cli import main; main()"
        command = [sys.executable, "-c", program, "gateway", "--one-of-several", str(port)]
        Supervisor(command, count).run()
