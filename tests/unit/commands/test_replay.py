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


def test_replay_joins_nameservers(tmp_path):
    """Name servers out of a file reach the pages of their domains."""
    source, names = tmp_path / "pages.jsonl", tmp_path / "servers.jsonl"
    pages = [{"url": f"http://site{n}.example/", "html": f"<p>{n}"} for n in range(3)]
    source.write_text("".join(json.dumps(page) + "\n" for page in pages))
    rows = [{"domain": f"site{n}.example", "nameservers": ["ns1.host.example"]} for n in range(3)]
    names.write_text("".join(json.dumps(row) + "\n" for row in rows))
    store = f"embedded://{tmp_path / 'state'}"

    arguments = ["replay", str(source), "--nameservers", str(names), "--store", store]
    assert CliRunner().invoke(group, arguments).exit_code == 0
    listed = CliRunner().invoke(group, ["nameservers", "list", "--store", store, "--json"])

    assert "host.example" in listed.stdout


def test_replay_of_nothing_says_so(tmp_path):
    """An empty source gives one line and no empty tables; a missing one gives an error before any run."""
    source = tmp_path / "empty.jsonl"
    source.write_text("")

    result = CliRunner().invoke(group, ["replay", str(source), "--store", "memory"])
    missing = CliRunner().invoke(group, ["replay", str(tmp_path / "none.warc"), "--store", "memory"])

    assert result.stdout == "No pages found.\n"
    assert "No such file" in str(missing.exception)
    assert "run" not in missing.output
