"""The program's front door."""

import importlib
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from hss_stream.cli import COMMANDS, group


def test_help_imports_nothing_heavy():
    """`--help` answers at once because it imports neither numba nor any command."""
    code = (
        "import sys; sys.argv = ['hss-stream', '--help']\n"
        "from hss_stream.cli import group\n"
        "try: group()\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'numpy', 'rich', 'faust', 'redis', 'aiohttp', 'pydantic', 'hss_stream.commands'}\n"
        "print('loaded:', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "loaded: []" in done.stdout
    assert "demo" in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_command_shows_help(name):
    """Every command of the table can be imported and explains itself."""
    module, text = COMMANDS[name]
    command = importlib.import_module(module).command
    result = CliRunner().invoke(group, [name, "--help"])

    assert isinstance(command, click.Command)
    assert text.endswith(".")
    assert result.exit_code == 0


def test_unknown_command_is_wrong_use():
    """A command that does not exist exits with 2."""
    assert CliRunner().invoke(group, ["frobnicate"]).exit_code == 2
