"""What style and structure reach on real pages; skipped without EVALUATION_DATA."""

import json

import pytest
from click.testing import CliRunner

from hss_stream.cli import group


def evaluate(method, *arguments):
    """Run an evaluation; return its rows."""
    result = CliRunner().invoke(group, ["evaluate", method, *map(str, arguments), "--json"])

    assert 0 == result.exit_code, result.output
    return [json.loads(line) for line in result.output.splitlines() if line.startswith("{")]


@pytest.mark.parametrize(
    ("setting", "f_range", "precision"), [("paper", (0.62, 0.70), 0.999), ("default", (0.87, 1.0), 0.998)]
)
def test_documentation_pages(evaluation_data, setting, f_range, precision):
    """Precision by generator, recall by package: about .66 for the paper, at least .87 by default."""
    folder = evaluation_data / "pages-debian-docs"
    labels = ("--labels", folder / "labels.jsonl", "--precision-by", "generator", "--recall-by", "package")
    row, miss, estimate = evaluate("style", folder, *labels, "--setting", setting)

    assert miss["missed_share"] <= miss["p_miss_at_threshold"]
    assert estimate["rmse"] <= 1.2 * estimate["expected_rmse"]
    assert f_range[0] <= row["f"] <= f_range[1]
    assert row["precision"] >= precision


def test_doorway_pages_are_one_cluster(evaluation_data):
    """1,000 pages of one generator are one cluster."""
    row = evaluate("style", evaluation_data / "pages-doorway")[0]

    assert (1, 1000) == (row["clusters"], row["largest"])


@pytest.mark.parametrize("corpus", ["pages-debian-docs", "pages-web"])
def test_distances_keep_their_order(evaluation_data, corpus):
    """R ≤ F ≤ D on every pair tried."""
    rows = evaluate("structure", evaluation_data / corpus, "--pairs", 5000)

    assert 0 == rows[0]["order_broken"]
