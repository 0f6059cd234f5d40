"""Kept kernels: never stale, read where they cannot be written, missed where they are broken."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[3] / "hss_stream"

PART = """from hss_stream.signals.kernel import kernel_part
FACTOR = {factor}
@kernel_part
def scale(value):
    return value * FACTOR
"""
KERNEL = """from numba import types
from hss_stream.signals.kernel import kernel
from hss_stream.signals.part import scale
@kernel(types.int64(types.int64))
def scaled(value):
    return scale(value)
"""
PROGRAM = """
from hss_stream.signals import demo_kernel
print(demo_kernel.scaled(7), sum(demo_kernel.scaled.stats.cache_hits.values()))
"""


@pytest.fixture
def package(tmp_path):
    """Return a package of its own with one kernel that inlines a part of another file."""
    room = tmp_path / "hss_stream" / "signals"
    room.mkdir(parents=True)
    for name in ("__init__.py", "signals/__init__.py", "signals/kernel.py", "signals/kernel_cache.py"):
        shutil.copy(PACKAGE / name, tmp_path / "hss_stream" / name)
    (room / "part.py").write_text(PART.format(factor=2))
    (room / "demo_kernel.py").write_text(KERNEL)
    return tmp_path


def run(package, **environment):
    """Return what the kernel answers and how often the cache had it, in a fresh interpreter."""
    clean = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=package,
        env={**clean, "XDG_CACHE_HOME": str(package / "user"), "PYTHONPATH": str(package), **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()


def kept_files(package):
    """Return the kept kernels beside the sources."""
    return sorted((package / "hss_stream" / "signals" / "__pycache__").glob("*.nb?"))


def test_second_start_is_warm(package):
    """A kernel is compiled once."""
    run(package)

    assert ["14", "1"] == run(package)


def test_change_elsewhere_counts(package):
    """A change in an inlined part of another file is seen, and the old machine code is removed."""
    run(package)
    before = kept_files(package)
    (package / "hss_stream" / "signals" / "part.py").write_text(PART.format(factor=3))

    assert ["21", "0"] == run(package)
    assert len(before) == len(kept_files(package))


def test_cut_file_is_missed(package):
    """A file cut by a full disk means compiling again."""
    run(package)
    for file in kept_files(package):
        file.write_bytes(file.read_bytes()[:40])

    assert ["14", "0"] == run(package)


def test_unwritable_place_is_survived(package):
    """Where nothing can be written, kernels are compiled in memory."""
    blocked = package / "blocked"
    blocked.write_text("a file, so no folder can be made here")

    assert ["14", "0"] == run(package, NUMBA_CACHE_DIR=str(blocked / "cache"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_filled_cache_can_be_read(package):
    """An image built with warm kernels and a read-only root starts warm."""
    run(package)
    folder = kept_files(package)[0].parent
    folder.chmod(0o555)
    try:
        assert ["14", "1"] == run(package)
    finally:
        folder.chmod(0o755)
