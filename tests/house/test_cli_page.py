"""The page of commands is what the commands say."""

from pathlib import Path

from tests.house.cli_page import cli_page

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_cli_page_is_current():
    """docs/cli.md equals the help of all commands; `make docs` writes it again."""
    assert cli_page() == PAGE.read_text(), "run `make docs`"
