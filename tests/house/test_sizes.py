"""Files and functions stay small enough to be read at one sitting."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path
    for folder in ("hss_stream", "tests")
    for path in (ROOT / folder).rglob("*.py")
    if "__pycache__" not in path.parts
)
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 40
# A kernel is one loop over bytes; cutting it into calls costs its speed.
MAX_KERNEL_LINES = 120


def is_kernel(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a function carries the kernel decorator."""
    return any("kernel" in ast.unparse(decorator) for decorator in function.decorator_list)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_file_is_short(path):
    """A file over the limit is two nouns."""
    assert len(path.read_text().splitlines()) <= MAX_FILE_LINES


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_functions_are_short(path):
    """A function fits on a screen; a kernel on three."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            limit = MAX_KERNEL_LINES if is_kernel(node) else MAX_FUNCTION_LINES
            first = node.body[0].end_lineno if ast.get_docstring(node) and len(node.body) > 1 else node.lineno
            length = node.end_lineno - first + 1

            assert length <= limit, f"{path}:{node.lineno} {node.name} has {length} lines"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_module_says_why(path):
    """Every module opens with a docstring."""
    text = path.read_text()

    assert not text.strip() or ast.get_docstring(ast.parse(text))


def tracked_files() -> list[Path]:
    """Return the files git knows."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return [ROOT / name for name in listing.split("\0") if name and (ROOT / name).is_file()]


def test_nothing_is_left_undone():
    """No mark of unfinished work, no machine path, no package index address in a tracked file."""
    forbidden = re.compile(
        rb"\b(TO"
        rb"DO|FIX"
        rb"ME|XX"
        rb"X|HA"
        rb"CK)\b|NotImplemented"
        rb"Error|--index-"
        rb"url|\x22resolved\x22: \x22http|(?<![\w.])/(wo"
        rb"rk|fa"
        rb"rm)/"
    )
    found = [
        f"{path.relative_to(ROOT)}: {match.group()!r}"
        for path in tracked_files()
        if path.suffix in {".py", ".lua", ".md", ".toml", ".yml", ".yaml", ".txt", ".in", ""}
        for match in [forbidden.search(path.read_bytes())]
        if match
    ]

    assert [] == found
