"""A real rspamd of our own: one worker on a free port, only the modules a test names."""

import shutil
import socket
import subprocess
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from json import loads
from pathlib import Path

from tests.conftest import require

CLIENT = Path(__file__).parents[2] / "deploy" / "clients" / "rspamd"

FUZZY = """
fuzzy_check {
  min_bytes = 1k;
  timeout = 2s;
  retransmits = 1;
  rule "local" {
    algorithm = "mumhash";
    servers = "127.0.0.1:@FUZZY@";
    symbol = "LOCAL_FUZZY";
    mime_types = ["*"];
    max_score = 20.0;
    read_only = yes;
    skip_unknown = yes;
    fuzzy_map = { LOCAL_SPAM { max_score = 20.0; flag = 1; } }
  }
}
"""
FUZZY_WORKER = """
worker "fuzzy" {
  bind_socket = "127.0.0.1:@FUZZY@";
  count = 1;
  backend = "sqlite";
  hashfile = "@FOLDER@/fuzzy.db";
  allow_update = ["127.0.0.1"];
}
"""


@dataclass
class Rspamd:
    """A running rspamd."""

    port: int
    process: subprocess.Popen
    folder: Path

    def scan(self, message):
        """Return what rspamd says of a message."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=20)) as connection:
            connection.request("POST", "/checkv2", message)
            return loads(connection.getresponse().read())

    def log(self):
        """Return what it logged."""
        path = self.folder / "rspamd.log"
        return path.read_text() if path.exists() else ""


def free_port():
    """Return a port nobody listens on."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_listening(port):
    """Tell whether somebody listens on a port."""
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def write_configuration(folder, port, *, plugin=None, fuzzy=False, base="bench.conf"):
    """Write the configuration; `plugin` holds the settings of ours, or it is left out."""
    text = (CLIENT / base).read_text()
    modules = ""
    if plugin is not None:
        lines = "\n".join(f"{name} = {value};" for name, value in plugin.items())
        modules = f'modules {{ path = "{CLIENT / "hss_stream.lua"}"; }}\nhss_stream {{\n{lines}\n}}\n'
    values = {
        "WORKERS": FUZZY_WORKER if fuzzy else "",
        "MODULES": modules + (FUZZY if fuzzy else ""),
        "FILTERS": "fuzzy_check" if fuzzy else "",
        "FUZZY": str(free_port()),
        "FOLDER": str(folder),
        "PORT": str(port),
    }
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    path = folder / "rspamd.conf"
    path.write_text(text)
    return path


@contextmanager
def running_rspamd(folder, **options):
    """Run rspamd for a while."""
    require(shutil.which("rspamd"), "rspamd is not installed: `make services`")
    port = free_port()
    path = write_configuration(folder, port, **options)
    command = ["rspamd", "-f", "-i", "-c", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not is_listening(port):
            assert process.poll() is None, Rspamd(port, process, folder).log()
            time.sleep(0.02)
        yield Rspamd(port, process, folder)
    finally:
        process.terminate()
        process.wait(20)
