"""What every model file has in common: a checked prefix, a header, and arrays to be mapped into memory.

    0   8 bytes   the kind of file
    8   uint32    its format
    12  uint32    bytes of the header
    16  uint64    bytes of the file
    24  uint64    XXH3-64 of everything from byte 32 on
    32  header    JSON
        arrays    one after the other, from the next multiple of 64 on

All numbers are little-endian. Loading reads and checks every byte, which takes milliseconds for 25 MB; all
processes that map the file share one copy of it. A file that is cut, foreign or damaged is refused.
"""

import json
import mmap
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from hss_stream.errors import ModelError

_PREFIX = struct.Struct("<8sIIQQ")
_ALIGNMENT = 64


@dataclass(frozen=True)
class FileKind:
    """One kind of file: its mark, the format this program reads, and the word that `train` and people use."""

    magic: bytes
    format: int
    noun: str


@dataclass(frozen=True)
class MappedFile:
    """A file that has passed all checks: its header, its bytes, and where the arrays begin."""

    header: dict[str, Any]
    image: mmap.mmap
    begin: int


def write_mapped(
    path: Path, kind: FileKind, header: dict[str, Any], arrays: Sequence[np.ndarray[Any, Any]]
) -> None:
    """Write a file; the same header and arrays give the same bytes."""
    text = json.dumps(header, sort_keys=True).encode()
    gap = -(_PREFIX.size + len(text)) % _ALIGNMENT
    rest = b"".join((text, bytes(gap), *(array.tobytes() for array in arrays)))
    size = _PREFIX.size + len(rest)
    prefix = _PREFIX.pack(kind.magic, kind.format, len(text), size, xxhash.xxh3_64_intdigest(rest))
    path.write_bytes(prefix + rest)


def read_mapped(path: Path, kind: FileKind) -> MappedFile:
    """Return a file, mapped into memory; one that is not exactly right raises ModelError."""
    refuse = f"loading {kind.noun} {path}: "
    try:
        with path.open("rb") as file:
            image = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise ModelError(f"{refuse}{error}; give the path of a {kind.noun} file") from error
    if len(image) < _PREFIX.size:
        raise ModelError(f"{refuse}it is cut off; copy it again")
    magic, number, header_bytes, size, digest = _PREFIX.unpack_from(image)
    if magic != kind.magic:
        raise ModelError(f"{refuse}this is no {kind.noun}; make one with `hss-stream train {kind.noun}`")
    if number != kind.format:
        raise ModelError(f"{refuse}format {number} is not {kind.format}; train it again with this version")
    if size != len(image):
        raise ModelError(f"{refuse}it has {len(image)} of {size} bytes; copy it again")
    with memoryview(image) as view, view[_PREFIX.size :] as rest:
        if xxhash.xxh3_64_intdigest(rest) != digest:
            raise ModelError(f"{refuse}its checksum is wrong, so it is damaged; copy it again")
    begin = _PREFIX.size + header_bytes
    try:
        header = json.loads(image[_PREFIX.size : begin])
    except ValueError as error:
        raise ModelError(f"{refuse}its header is no JSON; train it again") from error
    if not isinstance(header, dict):
        raise ModelError(f"{refuse}its header is no JSON object; train it again")
    return MappedFile(header, image, begin + -begin % _ALIGNMENT)
