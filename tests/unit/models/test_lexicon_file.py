"""Lexicon files: what is written comes back; what is cut, foreign or damaged is refused."""

import numpy as np
import pytest

from hss_stream.errors import ModelError
from hss_stream.models.lexicon_file import KIND, load_lexicon, read_lexicon, write_lexicon
from hss_stream.signals.imatch import Signer
from hss_stream.signals.lexicon import DEFAULT, make_lexicon
from hss_stream.signals.words import WordHasher, word_hash

WORDS = [f"word{a}{b}" for a in "abcdefghij" for b in "abcdefghij"]


@pytest.fixture
def path(tmp_path):
    """Return a file with a small lexicon."""
    words = np.array([word_hash(word) for word in WORDS], np.uint64)
    write_lexicon(
        tmp_path / "x", make_lexicon(words, np.full(len(WORDS), 130), 1000, DEFAULT), {"made": "here"}
    )
    return tmp_path / "x"


def test_lexicon_comes_back(path):
    """The lexicon read signs like the one written."""
    tokens = WordHasher().hash(" ".join(WORDS).encode())
    words = np.array([word_hash(word) for word in WORDS], np.uint64)
    made = make_lexicon(words[::-1].copy(), np.full(len(WORDS), 130), 1000, DEFAULT)
    found = read_lexicon(path)

    assert {"made": "here"} == found.facts
    assert (made.id, made.setting, made.documents, made.terms) == (
        found.lexicon.id, found.lexicon.setting, found.lexicon.documents, found.lexicon.terms
    )  # fmt: skip
    assert Signer(made).sign(tokens) == Signer(found.lexicon).sign(tokens)


def test_table_is_not_writable(path):
    """A mapped lexicon cannot be changed by accident."""
    with pytest.raises(ValueError, match="read-only"):
        read_lexicon(path).lexicon.table[0] = 1


@pytest.mark.parametrize("size", [0, 1, 31, 32, 100, -8, -1])
def test_cut_file_is_refused(path, size):
    """A file that was cut anywhere is refused with a clear error."""
    path.write_bytes(path.read_bytes()[:size])

    with pytest.raises(ModelError, match="loading lexicon"):
        read_lexicon(path)


def test_every_flipped_byte_is_refused(path):
    """No single damaged byte goes unnoticed."""
    raw = path.read_bytes()
    for place in [*range(64), *range(64, len(raw), 101)]:
        path.write_bytes(raw[:place] + bytes([raw[place] ^ 0x40]) + raw[place + 1 :])
        with pytest.raises(ModelError, match="loading lexicon"):
            read_lexicon(path)


def test_foreign_files_are_refused(path, tmp_path):
    """Other files, other formats and missing files are named as such."""
    raw = path.read_bytes()
    path.write_bytes(b"<html>" * 100)
    with pytest.raises(ModelError, match="this is no lexicon"):
        read_lexicon(path)
    path.write_bytes(raw[:8] + (KIND.format + 1).to_bytes(4, "little") + raw[12:])
    with pytest.raises(ModelError, match="format 2 is not 1"):
        read_lexicon(path)
    with pytest.raises(ModelError, match="No such file"):
        read_lexicon(tmp_path / "missing")


def test_altered_header_is_refused(path):
    """A header that was edited together with its checksum contradicts the id."""
    import struct

    import xxhash

    raw = path.read_bytes()
    rest = raw[32:].replace(b'"keep": 0.4', b'"keep": 0.5')
    path.write_bytes(raw[:24] + struct.pack("<Q", xxhash.xxh3_64_intdigest(rest)) + rest)

    with pytest.raises(ModelError, match="its id is not that of its words"):
        read_lexicon(path)


def test_shipped_lexicon_loads():
    """The package has a lexicon of English with the default setting."""
    lexicon = load_lexicon()

    assert DEFAULT == lexicon.setting
    assert lexicon is load_lexicon()
    assert "b8e456602b7a624c" == lexicon.name
