"""`replay` shows a person what was found and why."""

import json

from click.testing import CliRunner

from hss_stream.cli import group
from hss_stream.lab.crawl import generate_crawl


def test_replay_shows_verdicts_and_clusters(tmp_path):
    """Without --json one sees the verdicts, the worst pages with reasons, and the clusters by rank."""
    source = tmp_path / "pages.jsonl"
    crawl = generate_crawl(seed=5, pages=150, kinds=("farm_copied", "natural"))
    source.write_text("".join(json.dumps(page.to_json()) + "\n" for page in crawl))

    result = CliRunner().invoke(group, ["replay", str(source), "--store", "memory"])

    assert result.exit_code == 0, result.output
    for part in (
        "Verdicts: ",
        "spam",
        "Pages to look at",
        "LINK_FARM",
        "link_farm",
        "Clusters of a single page",
    ):
        assert part in result.stdout
