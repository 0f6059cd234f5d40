"""Training a lexicon: exact counts, bounded memory, a command that says what it made."""

import numpy as np
import pytest
from click.testing import CliRunner

from hss_stream.cli import group
from hss_stream.errors import ModelError
from hss_stream.lab.lexicon_training import DocumentCounter, lexicon_of
from hss_stream.models.lexicon_file import FILE_NAME, read_lexicon
from hss_stream.signals.lexicon import DEFAULT, PAPER
from hss_stream.signals.words import WordHasher, word_hash

COMMON = "these words stand everywhere again"


def count(texts, memory_bytes=1 << 20):
    """Return the counts over texts."""
    counter = DocumentCounter(memory_bytes)
    hasher = WordHasher()
    for text in texts:
        counter.add(hasher.hash(text.encode()))
    return counter.finish()


def test_documents_are_counted():
    """A word counts once a document; documents with too few words count for nothing."""
    counts = count([f"{COMMON} twice twice"] * 3 + [COMMON] * 2 + ["short text"])
    found = dict(zip(counts.words.tolist(), counts.frequencies.tolist(), strict=True))

    assert (5, 0) == (counts.documents, counts.floor)
    assert (5, 3) == (found[word_hash("stand")], found[word_hash("twice")])
    assert word_hash("short") not in found


def test_memory_is_bounded():
    """With more words than memory the rarest go, the counts of the rest are too low by the floor at most."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    texts = [f"{COMMON} {' '.join(f'rare{a}{b}{c}' for c in letters)}" for a in letters for b in letters]
    counts = count(texts, memory_bytes=0)
    found = dict(zip(counts.words.tolist(), counts.frequencies.tolist(), strict=True))

    assert counts.words.size <= 1024
    assert counts.floor >= 1
    assert len(texts) - counts.floor <= found[word_hash("everywhere")] <= len(texts)


@pytest.mark.parametrize("texts", [[], [COMMON], ["nothing"] * 9])
def test_too_little_is_refused(texts):
    """No lexicon comes of fewer than two documents."""
    with pytest.raises(ModelError, match="too few"):
        lexicon_of(count(texts), DEFAULT, least_documents=1)


def test_command_writes_lexicon(tmp_path):
    """`train lexicon` gives the same file for the same sources, and another id for another seed."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number in range(30):
        (corpus / f"{number}.txt").write_text(f"{COMMON} number{'abcdefghij'[number % 10]} of the text")
    ids = []
    for out, more in (("one", []), ("two", []), ("three", ["--seed", "5", "--setting", "paper"])):
        done = CliRunner().invoke(
            group,
            ["train", "lexicon", str(corpus), "--out", str(tmp_path / out), "--least-documents", "2", *more],
        )
        assert 0 == done.exit_code, done.output
        ids.append(read_lexicon(tmp_path / out / FILE_NAME).lexicon.id)

    assert ids[0] == ids[1] != ids[2]
    lexicon = read_lexicon(tmp_path / "three" / FILE_NAME).lexicon
    assert (PAPER.keep, 5, 30) == (lexicon.setting.keep, lexicon.setting.seed, lexicon.documents)


def test_levels_follow_frequency():
    """A word in every document is at level 0, one in a single document at the top."""
    lexicon = lexicon_of(
        count([f"{COMMON} number{letter}" for letter in "abcdefghij"]), DEFAULT, least_documents=1
    )
    words, levels = lexicon.words_and_levels()

    assert 0 == levels[np.searchsorted(words, word_hash("stand") | 1)]
    assert 65_535 == levels[np.searchsorted(words, word_hash("numbera") | 1)]
