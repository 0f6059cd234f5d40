"""The page of commands is what the commands say."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_cli_page_is_current():
    """docs/cli.md equals the help of all commands; `make docs` writes it again.

    In a process of its own: click keeps the help option of a command that other tests have called.
    """
    command = [sys.executable, "-m", "tests.house.cli_page"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout == (ROOT / "docs" / "cli.md").read_text(), "run `make docs`"
