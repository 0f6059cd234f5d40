"""Where compiled kernels are kept between runs, so that a start costs milliseconds instead of a minute.

Numba's own cache looks only at the file a kernel stands in, and would go on running yesterday's machine
code when a table or an inlined part in another file changes; and it refuses to import where nothing is
writable, even when a filled cache is there. Here the name of a cached kernel carries a digest of its file
and of all files of this package that it imports, directly or not; a cache that can only be read is read;
and one that is missing, cut or forbidden means compiling in memory.

This is the one file of the room that touches the disk: what it reads and writes is code, never data.
"""

import contextlib
import hashlib
import os
import pickle
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from numba.core import caching, config

PACKAGE_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_IMPORT = re.compile(r"^\s*from (hss_stream[.\w]*) import ([\w, ]+|\()", re.MULTILINE)
_UNREADABLE = (OSError, EOFError, pickle.UnpicklingError)


def _module_file(name: str) -> str:
    return os.path.join(PACKAGE_FOLDER, *name.split(".")[1:]) + ".py"


@cache
def _imported_files(path: str) -> frozenset[str]:
    """Return the files of this package that a file imports."""
    with open(path, encoding="utf-8") as source:
        imports = _IMPORT.findall(source.read())
    names = {module for module, _ in imports}
    names |= {f"{module}.{word}" for module, words in imports for word in re.findall(r"\w+", words)}
    return frozenset(file for file in map(_module_file, names) if os.path.isfile(file))


def source_digest(path: str) -> str:
    """Return a digest of a file and of every file of this package that it imports, directly or not."""
    files, found = {path}, [path]
    while found:
        new = _imported_files(found.pop()) - files
        files |= new
        found.extend(new)
    digest = hashlib.sha256()
    for file in sorted(files):
        with open(file, "rb") as source:
            digest.update(hashlib.sha256(source.read()).digest())
    return digest.hexdigest()[:20]


def _folders(path: str) -> list[str]:
    """Return where kernels of a file may be kept, best first."""
    if named := getattr(config, "CACHE_DIR", ""):
        return [named]
    user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return [os.path.join(os.path.dirname(path), "__pycache__"), os.path.join(user, "hss_stream", "kernels")]


class _KernelLocator(caching._CacheLocator):  # noqa: SLF001 - numba has no public one
    """Tells numba the folder and the name of one kernel's files."""

    mode = ""

    def __init__(self, function: Callable[..., Any], path: str) -> None:
        self._digest = source_digest(path) + self.mode
        self._function = function
        self._folder = self._choose_folder(_folders(path))

    @classmethod
    def from_function(cls, function: Callable[..., Any], path: str) -> "_KernelLocator | None":
        return cls(function, path) if os.path.isfile(path) else None

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> str:
        return self._digest

    def get_disambiguator(self) -> str:
        return self._digest

    def remove_older(self) -> None:
        """Remove what other sources left of this kernel: same name, another digest, same mode."""
        stem = re.escape(f".{self._function.__qualname__}-")
        pattern = re.compile(rf"[\w]+{stem}[0-9a-f]{{20}}{self.mode}\.py[\w.]+\.(nbi|nbc)")
        module = self._function.__module__.rpartition(".")[2]
        for name in os.listdir(self._folder):
            if name.startswith(module + ".") and pattern.fullmatch(name) and self._digest not in name:
                os.remove(os.path.join(self._folder, name))

    def _choose_folder(self, folders: list[str]) -> str:
        for folder in folders:
            self._folder = folder
            try:
                if any(self._digest in name for name in os.listdir(folder)):
                    return folder
            except OSError:
                pass
            try:
                self.ensure_cache_path()  # type: ignore[no-untyped-call] # numba's
            except OSError:
                continue
            return folder
        return folders[0]


class _KernelCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes: list[type[object]] = [_KernelLocator]  # noqa: RUF012 - numba's own type


class KernelCache(caching.FunctionCache):
    """Keeps one kernel's machine code; whatever goes wrong with the files means compiling again."""

    _impl_class = _KernelCacheImpl

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the kept machine code for a signature, or None."""
        try:
            return super().load_overload(signature, context)  # type: ignore[no-untyped-call] # numba's
        except _UNREADABLE:
            # A broken index would be read again before writing; without it the kernel is new.
            with contextlib.suppress(OSError):
                os.remove(self._cache_file._index_path)  # noqa: SLF001 - numba has no other name for it
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep machine code for the next start, where that is possible."""
        try:
            super().save_overload(signature, compiled)  # type: ignore[no-untyped-call] # numba's
            self._impl.locator.remove_older()
        except OSError:
            return


def attach_cache(dispatcher: Any, mode: str) -> None:
    """Give a compiled function its cache for a mode, before it is compiled for its signatures."""
    _KernelLocator.mode = mode
    if os.path.isfile(dispatcher.py_func.__code__.co_filename):
        kept = KernelCache(dispatcher.py_func)  # type: ignore[no-untyped-call] # numba's
        dispatcher._cache = kept  # noqa: SLF001 - what enable_caching does
