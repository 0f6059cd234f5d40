"""The decorator and the raw access that all kernels are made with."""

import os
import subprocess
import sys

import numpy as np

PROGRAM = """
import numpy as np
from numba import types
from hss_stream.signals.kernel import BYTES_IN, kernel, load_byte, load_word, store_item
from hss_stream.signals.wide_bytes import copy_wide, noise_flags
@kernel(types.int64(BYTES_IN, types.int64))
def byte_at(array, index):
    return load_byte(array, index)
@kernel(types.uint64(BYTES_IN, types.int64))
def word_at(array, index):
    return load_word(array, index)
@kernel(types.void(types.uint64[::1], types.int64, types.uint64))
def put(array, index, value):
    store_item(array, index, value)
@kernel(types.uint64(BYTES_IN, types.int64))
def noise_at(array, index):
    return noise_flags(array, index)
@kernel(types.void(BYTES_IN, types.uint8[::1], types.int64))
def copy_to(array, out, end):
    copy_wide(array, 0, out, end)
data = np.frombuffer(b"abcdefghij", np.uint8)
wide = np.arange(0, 128, 2, dtype=np.uint8)
assert byte_at(data, 9) == ord("j")
assert word_at(data, 2) == int.from_bytes(b"cdefghij", "little")
put(np.zeros(3, np.uint64), 2, 7)
assert noise_at(wide, 0) == sum(1 << at for at in range(64) if not chr(wide[at]).isalnum())
copy_to(wide, np.zeros(70, np.uint8), 6)
"""


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a fresh interpreter with these environment variables."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_kernels_work_unchecked():
    """Loads and stores give what plain indexing gives."""
    assert "" == run(PROGRAM).stderr


OUTSIDE = [
    "byte_at(data, 10)",
    "byte_at(data, -1)",
    "word_at(data, 3)",
    "put(np.zeros(3, np.uint64), 3, 7)",
    "noise_at(wide, 1)",
    "copy_to(wide, np.zeros(70, np.uint8), 7)",
]
TRY = """
try:
    {0}
except IndexError as error:
    assert "kernel access outside its array" == str(error)
else:
    raise AssertionError("{0} was allowed")
"""


def test_checked_mode_raises():
    """In checked mode an access outside the array raises instead of reading other memory."""
    done = run(PROGRAM + "".join(map(TRY.format, OUTSIDE)), TEST_CHECKED_KERNELS="1")

    assert "" == done.stderr


def test_kernels_compile_without_cache(tmp_path):
    """Where no cache location is writable, kernels are compiled in memory."""
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, so no folder can be made here")
    done = run(PROGRAM, NUMBA_CACHE_DIR=str(blocked / "cache"))

    assert "" == done.stderr


def test_numpy_is_little_endian_here():
    """The kernels read words as little-endian; every platform we build for is."""
    assert np.dtype("<u8") == np.dtype(np.uint64)
