"""What is deployed is what the program has: every variable, command and port is compared with its own."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from hss_stream.cli import COMMANDS
from hss_stream.observe.gateway_metrics import GatewayMetrics
from hss_stream.observe.metrics import Metrics
from hss_stream.settings import Settings, known_names, load_settings
from tests.conftest import require

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
OURS = ("topics", "worker", "gateway")


def example_settings() -> dict[str, str]:
    """Return the variables of the sample environment file."""
    lines = (DEPLOY / "settings.example.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def manifests() -> list[dict]:
    """Return every Kubernetes object."""
    return [entry for path in MANIFESTS for entry in yaml.safe_load_all(path.read_text())]


def containers() -> list[dict]:
    """Return every container of the Kubernetes objects."""
    pods = [entry for entry in manifests() if entry["kind"] == "Deployment"]
    return [container for pod in pods for container in pod["spec"]["template"]["spec"]["containers"]]


def exported_metrics() -> set[str]:
    """Return every series name the program can expose."""
    names: set[str] = set()
    for family in [*Metrics().registry.collect(), *GatewayMetrics().registry.collect()]:
        base = family.name
        suffixes = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}.get(family.type, [""])
        names.update(base + suffix for suffix in suffixes)
    return names


def test_example_settings_load(monkeypatch):
    """The sample environment file is accepted as it is, and its names are settings."""
    for name, value in example_settings().items():
        monkeypatch.setenv(name, value)

    assert load_settings().broker == example_settings()["HSS_BROKER"]


def test_every_variable_is_a_setting():
    """No file of the deployment names a variable that the program does not have."""
    texts = [ROOT / "docker-compose.yml", DEPLOY / "settings.example.env", *MANIFESTS]
    named = {name for path in texts for name in re.findall(r"\bHSS_[A-Z_]+", path.read_text())}

    assert named <= set(known_names())


def test_every_command_exists():
    """What the containers run are commands of the program."""
    used = [COMPOSE["services"][name]["command"][0] for name in OURS]
    used += [container["args"][0] for container in containers()]

    assert set(used) <= set(COMMANDS)


def test_ports_are_those_of_the_settings():
    """Health checks, scrapes and published ports use the ports that the settings give."""
    worker, gateway = (
        int(example_settings()["HSS_METRICS__PORT"]),
        int(example_settings()["HSS_GATEWAY__PORT"]),
    )
    scrape = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())["scrape_configs"]
    scraped = {job["dns_sd_configs"][0]["names"][0]: job["dns_sd_configs"][0]["port"] for job in scrape}
    settings = Settings.model_construct()

    assert {"worker": worker, "gateway": gateway} == scraped
    assert f":{worker}/healthz" in str(COMPOSE["services"]["worker"]["healthcheck"])
    assert f":{gateway}/healthz" in str(COMPOSE["services"]["gateway"]["healthcheck"])
    assert [f"127.0.0.1:{gateway}:{gateway}"] == COMPOSE["services"]["gateway"]["ports"]
    assert (worker, gateway) == (settings.metrics.port, settings.gateway.port)
    assert f"EXPOSE {gateway} {worker}" in (DEPLOY / "Dockerfile").read_text()


def test_containers_have_no_rights():
    """Our containers run as an ordinary user, on a read-only file system, without capabilities."""
    for name in OURS:
        assert COMPOSE["services"][name]["read_only"]
        assert COMPOSE["services"][name]["cap_drop"] == ["ALL"]
    for container in containers():
        assert container["securityContext"]["readOnlyRootFilesystem"]

    assert "USER 10001" in (DEPLOY / "Dockerfile").read_text()


def test_manifests_fit_their_schema():
    """The Kubernetes objects are valid against the published schema, with no unknown field."""
    for entry in manifests():
        kubernetes_validate.validate(entry, "1.33", strict=True)


def test_dashboard_names_existing_metrics():
    """Dashboard, alert rules and autoscaler ask only for metrics that the program exposes."""
    texts = [
        *(DEPLOY / "grafana" / "dashboards").glob("*.json"),
        DEPLOY / "prometheus" / "rules.yml",
        *MANIFESTS,
    ]
    named = {name for path in texts for name in re.findall(r"\bhss_[a-z_]+", path.read_text())}

    assert named
    assert named - {"hss_stream"} <= exported_metrics()
    for path in (DEPLOY / "grafana" / "dashboards").glob("*.json"):
        assert json.loads(path.read_text())["panels"]


@pytest.mark.services
def test_compose_file_is_accepted():
    """`docker-compose config` reads the file."""
    program = shutil.which("docker-compose")
    require(program, "docker-compose is not installed: run make services")
    done = subprocess.run([program, "config", "-q"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.services
@pytest.mark.parametrize(("kind", "name"), [("config", "prometheus.yml"), ("rules", "rules.yml")])
def test_promtool_accepts(kind, name):
    """Prometheus's own checker reads the scrape configuration and the alert rules."""
    program = shutil.which("promtool")
    require(program, "promtool is not installed: run make services")
    path = DEPLOY / "prometheus" / name
    done = subprocess.run([program, "check", kind, str(path)], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
