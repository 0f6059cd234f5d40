"""The demo streams a generated crawl through the real agents and compares what came out with the truth."""

import json

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
    assert first["precision"] >= 0.95


def test_demo_shows_the_whole():
    """A stranger sees clusters, alerts, dead letters and what was missed, by kind of page."""
    text = run_demo("--seed", "5")

    for part in (
        "style clusters",
        "Alerts:",
        "Dead letters:",
        "Against the truth",
        "farm_fake",
        "shared_theme",
    ):
        assert part in text
