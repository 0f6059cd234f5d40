"""`check` against a real Kafka and a real store."""

import json
import uuid

import pytest
from click.testing import CliRunner

from hss_stream.cli import group

pytestmark = pytest.mark.services


def run_check() -> tuple[int, dict[str, dict]]:
    """Return the exit code and what was said, by check."""
    result = CliRunner().invoke(group, ["check", "--json"])
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    return result.exit_code, {row["check"]: row for row in rows}


def test_check_says_what_to_do(kafka, monkeypatch, tmp_path):
    """Missing topics are a problem with its remedy; once they are there, everything is fine."""
    monkeypatch.setenv("HSS_BROKER", kafka.url)
    monkeypatch.setenv("HSS_TOPIC_PREFIX", f"c{uuid.uuid4().hex[:8]}.")
    monkeypatch.setenv("HSS_REDIS", f"embedded://{tmp_path}/store")

    before = run_check()
    CliRunner().invoke(group, ["topics", "create", "--partitions", "1"])
    after = run_check()

    assert before[0] == 1
    assert before[1]["topics"]["advice"] == "run `hss-stream topics create`"
    assert after[0] == 0
    assert {row["state"] for row in after[1].values()} == {"ok"}
    assert {
        "settings",
        "kafka",
        "topics",
        "store",
        "formats",
        "memory policy",
        "append-only file",
        "clock",
    } <= set(after[1])


def test_check_without_kafka(monkeypatch, tmp_path):
    """A broker that does not answer is one line with its remedy, and the store is checked all the same."""
    monkeypatch.setenv("HSS_BROKER", "kafka://127.0.0.1:1")
    monkeypatch.setenv("HSS_REDIS", f"embedded://{tmp_path}/store")

    code, rows = run_check()

    assert code == 1
    assert rows["kafka"]["state"] == "problem"
    assert rows["store"]["state"] == "ok"
