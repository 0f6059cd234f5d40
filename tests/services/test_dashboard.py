"""The dashboard on a real Prometheus that watches a demo."""

import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
import yaml

from tests.conftest import require
from tests.services.rspamd import free_port
from tests.waiting import wait_for

DEPLOY = Path(__file__).parents[2] / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana" / "dashboards" / "hss.json").read_text())
QUERIES = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
# Series that only exist once something went wrong.
QUIET_SERIES = ("hss_retries_total",)

pytestmark = pytest.mark.services


@contextmanager
def running(command: list[str], environment: dict[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    """Run a program for the time of the block."""
    process = subprocess.Popen(
        command,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()


@contextmanager
def running_prometheus(folder: Path, worker: int, gateway: int) -> Iterator[str]:
    """Run Prometheus with our jobs and rules on other addresses; give its own."""
    program = shutil.which("prometheus")
    require(program, "prometheus is not installed: run make services")
    config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    config["global"]["scrape_interval"] = "500ms"
    shutil.copy(DEPLOY / "prometheus" / "rules.yml", folder)
    for job, port in zip(config["scrape_configs"], (worker, gateway), strict=True):
        del job["dns_sd_configs"]
        job["static_configs"] = [{"targets": [f"127.0.0.1:{port}"]}]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    port = free_port()
    command = [
        program, f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    with running(command):
        # It looks for targets a few seconds after its start; rates need a first scrape before the traffic.
        wait_for(lambda: fetch(f"{address}/api/v1/targets", {}).get("activeTargets"))
        yield address


def fetch(address: str, fields: dict[str, object]) -> dict:
    """Return the data of an answer of Prometheus; nothing before it listens."""
    try:
        with urlopen(f"{address}?{urlencode(fields)}") as answer:  # noqa: S310 - our own Prometheus
            return json.load(answer)["data"]
    except URLError:
        return {}


def values(prometheus: str, query: str, start: float) -> list[float]:
    """Return every finite value of a query since a time."""
    span = {"query": query, "start": start, "end": time.time(), "step": "0.5"}
    series = fetch(f"{prometheus}/api/v1/query_range", span).get("result", [])
    numbers = [float(value) for one in series for _, value in one["values"]]
    return [number for number in numbers if math.isfinite(number)]


def test_dashboard_shows_data(tmp_path):
    """Every query of the dashboard returns data after the traffic of a demo and a few look-ups."""
    worker, gateway = free_port(), free_port()
    start = time.time()
    demo = [
        sys.executable,
        "-c",
        "from hss_stream.cli import main; main()",
        "demo",
        "--serve",
        "--pages",
        "300",
    ]
    ports = {"HSS_METRICS__PORT": str(worker), "HSS_GATEWAY__PORT": str(gateway)}
    with running_prometheus(tmp_path, worker, gateway) as prometheus, running(demo, ports) as process:
        assert "Stop with Ctrl-C.\n" in iter(process.stdout.readline, "")
        missing = [query for query in QUERIES if not any(name in query for name in QUIET_SERIES)]

        def is_complete() -> bool:
            with urlopen(f"http://127.0.0.1:{gateway}/v1/nameserver/ns1.example.net") as answer:
                assert answer.status == 200
            missing[:] = [query for query in missing if not values(prometheus, query, start)]
            return not missing

        try:
            wait_for(is_complete, 30)
        except TimeoutError:
            pytest.fail(f"no data for {missing}")
