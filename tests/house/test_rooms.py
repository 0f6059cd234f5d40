"""Imports go upwards only: a room may import the rooms listed before it."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "hss_stream"

# In order: each room may import itself and those before it.
ROOMS = [
    "errors",
    "signals",
    "verdicts",
    "observe",
    "models",
    "sources",
    "store",
    "steps",
    "stream",
    "gateway",
    "client",
    "lab",
    "settings",
    "app",
    "lazy_group",
    "commands",
    "cli",
]

# Pure rooms: no clock, log, settings, file, network or await.
PURE = {"signals", "verdicts"}
FORBIDDEN_IN_PURE = {
    "asyncio", "logging", "time", "datetime", "socket", "pathlib", "io", "redis", "faust", "aiohttp",
    "prometheus_client", "pydantic_settings", "requests", "subprocess", "threading",
}  # fmt: skip


def room_of(path: Path) -> str:
    """Return the room a file of the package belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_modules(path: Path) -> set[str]:
    """Return the absolute names of all modules a file imports, wherever in the file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            base = node.module or ""
            names.add(base)
            if base == "hss_stream":
                names.update(f"{base}.{alias.name}" for alias in node.names)
    return names


FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.name != "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_rooms_import_upwards(path):
    """No file imports a room listed after its own, and every file lives in a known room."""
    allowed = ROOMS[: ROOMS.index(room_of(path)) + 1]
    inner = {name.split(".")[1] for name in imported_modules(path) if name.startswith("hss_stream.")}

    assert inner - {"__version__"} <= set(allowed)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_pure_rooms_stay_pure(path):
    """Signals and verdicts take values and return values: nothing in them can wait, read or log."""
    if room_of(path) in PURE:
        roots = {name.split(".")[0] for name in imported_modules(path)}
        tree = ast.parse(path.read_text())

        assert not roots & FORBIDDEN_IN_PURE
        assert not any(isinstance(node, ast.AsyncFunctionDef | ast.Await) for node in ast.walk(tree))
