"""The process beside an embedded server: starts it, restarts it if it dies, ends it after its last user.

Run as a script with a folder and the server's program; it imports nothing but the standard library, so
that it is small and starts at once. Users hold a shared lock on `users.lock` in the folder, which the
kernel releases however they end. The keeper waits for the exclusive lock: when it gets it, nobody is
left. Should the keeper itself be killed, the kernel ends the server with it.
"""

import ctypes
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

PR_SET_PDEATHSIG = 1
RESTART_PAUSE_SECONDS = 0.2


def die_with_parent() -> None:
    """Let the kernel end this process when its parent ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Keeper:
    """Keeps one server in one folder."""

    def __init__(self, folder: Path, socket_path: str, arguments: list[str]) -> None:
        self.folder = folder
        self.socket_path = socket_path
        self.arguments = arguments
        self.leaving = threading.Event()
        self.server: subprocess.Popen[bytes] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server."""
        with (self.folder / "server.log").open("ab") as log:
            return subprocess.Popen(  # noqa: S603 - the program comes from our own package
                self.arguments,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509 - no threads before the first start matter here
            )

    def wait_for_users(self, lock: int) -> None:
        """End the server once nobody holds the shared lock any more."""
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.leaving.set()
        if self.server is not None:
            self.server.terminate()

    def run(self, *, temporary: bool) -> None:
        """Keep the server until its last user has gone."""
        lock = os.open(self.folder / "users.lock", os.O_RDWR | os.O_CREAT, 0o600)
        self.server = self.start()
        threading.Thread(target=self.wait_for_users, args=(lock,), daemon=True).start()
        while True:
            self.server.wait()
            if self.leaving.is_set():
                break
            time.sleep(RESTART_PAUSE_SECONDS)
            self.server = self.start()
            if self.leaving.is_set():
                self.server.terminate()
        Path(self.socket_path).unlink(missing_ok=True)
        shutil.rmtree(Path(self.socket_path).parent, ignore_errors=True)
        if temporary:
            shutil.rmtree(self.folder, ignore_errors=True)


def main() -> None:
    """Run a keeper as its command line says: folder, socket, temporary or not, the server's command."""
    folder, socket_path, temporary, *arguments = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    Keeper(Path(folder), socket_path, arguments).run(temporary=temporary == "temporary")


if __name__ == "__main__":
    main()
