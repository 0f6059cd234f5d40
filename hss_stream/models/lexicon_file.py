"""A lexicon as one file (`mapped_file.py`): hashes of words alone, two uint64 a slot of its table.

The header has id, setting, documents, terms, slots and facts about the training. The id is computed anew when
the file is loaded, so that a lexicon altered on the way is refused.
"""

from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from hss_stream.errors import ModelError
from hss_stream.models.mapped_file import FileKind, read_mapped, write_mapped
from hss_stream.signals.lexicon import Lexicon, LexiconSetting, lexicon_id

KIND = FileKind(b"HSSLEXIC", 1, "lexicon")
FILE_NAME = "lexicon.imatch"
SHIPPED = Path(__file__).parent / "data" / "lexicon-en" / FILE_NAME


@dataclass(frozen=True)
class LexiconFile:
    """What a file holds: the lexicon, and what its maker wrote about it."""

    lexicon: Lexicon
    facts: dict[str, Any]


def write_lexicon(path: Path, lexicon: Lexicon, facts: dict[str, Any]) -> None:
    """Write a lexicon; the same lexicon and facts give the same bytes."""
    header = {
        "id": lexicon.name,
        "setting": asdict(lexicon.setting),
        "documents": lexicon.documents,
        "terms": lexicon.terms,
        "slots": lexicon.table.size // 2,
        "facts": facts,
    }
    write_mapped(path, KIND, header, [lexicon.table.astype("<u8")])


def read_lexicon(path: Path) -> LexiconFile:
    """Return the lexicon in a file, mapped into memory; a file that is not exactly right is a ModelError."""
    file = read_mapped(path, KIND)
    try:
        return _from_parts(file.header, np.frombuffer(file.image, "<u8", offset=file.begin))
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"loading lexicon {path}: {error}; train it again with this version") from error


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
