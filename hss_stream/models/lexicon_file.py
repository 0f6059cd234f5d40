"""A lexicon as one file that is mapped into memory, so that all processes share one copy.

    0    8 bytes   HSSLEXIC
    8    uint32    format, 1
    12   uint32    bytes of the header
    16   uint64    bytes of the file
    24   uint64    XXH3-64 of everything from byte 32 on
    32   header    JSON: id, setting, documents, terms, slots, facts about the training
         uint64    the table, two a slot, from the next multiple of 64 on

All numbers are little-endian. Words are there as hashes alone. Loading reads and checks every byte, and the
id is computed anew: a file that is cut, foreign, damaged or altered is refused.
"""

import json
import mmap
import struct
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from hss_stream.errors import ModelError
from hss_stream.signals.lexicon import Lexicon, LexiconSetting, lexicon_id

MAGIC = b"HSSLEXIC"
FORMAT = 1
FILE_NAME = "lexicon.imatch"
SHIPPED = Path(__file__).parent / "data" / "lexicon-en" / FILE_NAME
_PREFIX = struct.Struct("<8sIIQQ")
_ALIGNMENT = 64


@dataclass(frozen=True)
class LexiconFile:
    """What a file holds: the lexicon, and what its maker wrote about it."""

    lexicon: Lexicon
    facts: dict[str, Any]


def write_lexicon(path: Path, lexicon: Lexicon, facts: dict[str, Any]) -> None:
    """Write a lexicon; the same lexicon and facts give the same bytes."""
    header = json.dumps(
        {
            "id": lexicon.name,
            "setting": asdict(lexicon.setting),
            "documents": lexicon.documents,
            "terms": lexicon.terms,
            "slots": lexicon.table.size // 2,
            "facts": facts,
        },
        sort_keys=True,
    ).encode()
    gap = -(_PREFIX.size + len(header)) % _ALIGNMENT
    rest = header + bytes(gap) + lexicon.table.astype("<u8").tobytes()
    prefix = _PREFIX.pack(
        MAGIC, FORMAT, len(header), _PREFIX.size + len(rest), xxhash.xxh3_64_intdigest(rest)
    )
    path.write_bytes(prefix + rest)


def read_lexicon(path: Path) -> LexiconFile:
    """Return the lexicon in a file, mapped into memory; a file that is not exactly right is a ModelError."""
    try:
        with path.open("rb") as file:
            image = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise ModelError(f"loading lexicon {path}: {error}; give the path of a lexicon file") from error
    refuse = f"loading lexicon {path}: "
    if len(image) < _PREFIX.size:
        raise ModelError(f"{refuse}it is cut off; copy it again")
    magic, number, header_bytes, size, digest = _PREFIX.unpack_from(image)
    if magic != MAGIC:
        raise ModelError(f"{refuse}this is no lexicon; make one with `hss-stream train lexicon`")
    if number != FORMAT:
        raise ModelError(f"{refuse}format {number} is not {FORMAT}; train it again with this version")
    if size != len(image):
        raise ModelError(f"{refuse}it has {len(image)} of {size} bytes; copy it again")
    with memoryview(image) as view, view[_PREFIX.size :] as rest:
        if xxhash.xxh3_64_intdigest(rest) != digest:
            raise ModelError(f"{refuse}its checksum is wrong, so it is damaged; copy it again")
    begin = _PREFIX.size + header_bytes
    try:
        return _from_parts(
            json.loads(image[_PREFIX.size : begin]),
            np.frombuffer(image, "<u8", offset=begin + -begin % _ALIGNMENT),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{refuse}{error}; train it again with this version") from error


def _from_parts(header: dict[str, Any], table: np.ndarray[Any, np.dtype[np.uint64]]) -> LexiconFile:
    """Return what header and table say; KeyError, TypeError or ValueError when they contradict each other."""
    slots = int(header["slots"])
    words = int(np.count_nonzero(table[0::2]))
    if table.size != 2 * slots or slots & (slots - 1) or not 0 < words < slots or words != header["terms"]:
        raise ValueError("its table has the wrong shape")
    setting = LexiconSetting(**header["setting"])
    documents = int(header["documents"])
    lexicon = Lexicon(lexicon_id(setting, documents, table), setting, documents, words, table)
    if lexicon.name != header["id"]:
        raise ValueError("its id is not that of its words")
    return LexiconFile(lexicon, dict(header["facts"]))


@lru_cache(maxsize=4)
def load_lexicon(path: Path = SHIPPED) -> Lexicon:
    """Return the lexicon of a file, loaded once a process; by default the one shipped with the package."""
    return read_lexicon(path).lexicon
