"""The demo streams a generated crawl through the real agents and compares what came out with the truth."""

import json
import os
import shlex
import signal
import subprocess
import sys
from urllib.parse import urlencode
from urllib.request import urlopen

from click.testing import CliRunner

from hss_stream.cli import group


def run_demo(*arguments: str) -> str:
    """Run the demo and return what it printed."""
    result = CliRunner().invoke(group, ["demo", "--pages", "400", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_demo_repeats_itself():
    """The same seed gives the same verdicts; every page gets one, and no honest page is called spam."""
    first = json.loads(run_demo("--seed", "5", "--json"))
    again = json.loads(run_demo("--seed", "5", "--json"))

    assert first == again
    assert first["pages"] == 400
    assert first["unlabelled"]["precision"] >= 0.95


def test_demo_shows_the_whole():
    """A stranger sees clusters, alerts, dead letters and what was missed, by kind of page."""
    text = run_demo("--seed", "5")

    for part in (
        "style clusters",
        "Alerts:",
        "Dead letters:",
        "against the truth",
        "An editor says",
        "mail campaign",
        "after the editor's word",
        "farm_fake",
        "shared_theme",
    ):
        assert part in text


def test_served_demo_answers():
    """After `--serve` the commands it prints work: the gateway knows what the demo has just seen."""
    program = [sys.executable, "-c", "from hss_stream.cli import main; main()", "demo"]
    environment = {**os.environ, "HSS_GATEWAY__PORT": "0", "HSS_METRICS__PORT": "0"}
    with subprocess.Popen(
        [*program, "--pages", "100", "--seed", "5", "--serve"],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        lines = list(iter(process.stdout.readline, "Stop with Ctrl-C.\n"))
        commands = [shlex.split(line) for line in lines if line.startswith("  curl ")]
        answers = [ask(command) for command in commands]
        process.send_signal(signal.SIGINT)

    assert process.returncode == 0
    assert len(answers) == 3
    assert all(answer["format"] == 1 for answer in answers)


def ask(command: list[str]) -> dict:
    """Do what a `curl` command does, with what every Python has."""
    address = next(word for word in command if word.startswith("http://"))
    if "--data-urlencode" in command:
        name, _, value = command[-1].partition("=")
        address += "?" + urlencode({name: value})
    with urlopen(address) as answer:  # noqa: S310 - an address of the demo's own gateway
        return json.load(answer)
