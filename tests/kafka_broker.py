"""A real Kafka broker for tests: started from jars on free ports, killed and restarted at will."""

import shutil
import socket
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
START_SECONDS = 60


def missing_for_kafka() -> str | None:
    """Return what is missing to run a broker, None if nothing is."""
    for program, name in (("java", "Java 17"), ("mvn", "Maven")):
        if shutil.which(program) is None:
            return name
    return None


def free_ports(count: int) -> list[int]:
    """Return ports nobody listens on now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class KafkaBroker:
    """One broker with its data in a folder; the same ports after every restart."""

    def __init__(self, folder: Path) -> None:
        subprocess.run([ROOT / "deploy/kafka/fetch"], check=True, timeout=300)
        self.folder = folder
        self.port, self.controller_port = free_ports(2)
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """host:port."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """The address as the setting HSS_BROKER has it."""
        return f"kafka://{self.address}"

    def start(self) -> None:
        """Start the broker and wait until it answers."""
        command = [ROOT / "deploy/kafka/start", str(self.port), str(self.controller_port), str(self.folder)]
        with (self.folder / "broker.log").open("ab") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output)
        end = time.monotonic() + START_SECONDS
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > end:
                text = (self.folder / "broker.log").read_text()[-2000:]
                raise RuntimeError(f"Kafka did not start:\n{text}")
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def kill(self) -> None:
        """End the broker with SIGKILL; its data stay."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self) -> None:
        """End the broker cleanly; its data stay."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(timeout=60)
            self.process = None
