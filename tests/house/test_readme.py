"""The README tells a newcomer the truth, briefly."""

import re
from pathlib import Path

from hss_stream.cli import COMMANDS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_readme_is_short():
    """A newcomer reads it in a minute."""
    assert len(README.splitlines()) <= 150


def test_readme_targets_exist():
    """Every `make` target the README names is in the Makefile."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    assert set(re.findall(r"\bmake ([a-z]+)", README)) <= targets
    assert "make test" in README
    assert "make demo" in README


def test_readme_commands_exist():
    """Every `hss-stream` command the README shows is one the program has."""
    assert set(re.findall(r"hss-stream ([a-z]+)\b", README)) <= set(COMMANDS)


def test_links_lead_somewhere():
    """Every relative link of the README and the docs leads to a file of the project."""
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"


def test_architecture_names_files_that_exist():
    """Every file that the page on architecture names is there, in the room it says."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    rooms = [ROOT / "hss_stream", ROOT / "hss_stream" / "stream", ROOT]

    for name in re.findall(r"`([a-z_/]+\.(?:py|lua))`", page):
        assert any((room / name).exists() for room in rooms), name
