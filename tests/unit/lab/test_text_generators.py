"""Generators write what their names say."""

import numpy as np
import pytest

from hss_stream.lab.text_generators import GENERATORS, SPAM_WORDS, TextGenerators
from hss_stream.signals.words import word_hash
from tests.oracles.slow_ngrams import tokens_of

CORPUS = [
    tokens_of("abcabdacbefgabcd"),
    tokens_of("abefhabcadef"),
]
WHOLE = np.concatenate(CORPUS) | np.uint64(1)


@pytest.fixture(scope="module")
def generators():
    """Return the generators over a tiny corpus."""
    return TextGenerators(CORPUS)


def chance(seed=5):
    """Return seeded randomness."""
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", GENERATORS)
def test_texts_have_their_length(generators, name):
    """Every generator writes as many tokens as asked for, and the same ones for the same seed."""
    first = generators.write(name, 500, chance(), WHOLE)

    assert 500 == first.size
    assert first.tolist() == generators.write(name, 500, chance(), WHOLE).tolist()


@pytest.mark.parametrize(("name", "order"), [("lm2", 2), ("lm3", 3), ("lm4", 4)])
def test_chains_only_copy_ngrams(generators, name, order):
    """A plain chain of order n holds no n-gram that the corpus lacks, but where it starts again."""
    text = generators.write(name, 400, chance(), WHOLE).tolist()
    corpus = WHOLE.tolist()
    seen = {tuple(corpus[index : index + order]) for index in range(len(corpus) - order + 1)}
    dead_ends = {tuple(corpus[len(corpus) - order + 1 :])}
    new = [
        tuple(text[index : index + order])
        for index in range(len(text) - order + 1)
        if tuple(text[index : index + order - 1]) not in dead_ends
    ]

    assert set(new) <= seen


def test_smoothed_chains_leave_the_corpus(generators):
    """A smoothed chain also writes n-grams that the corpus lacks."""
    text = generators.write("lm3s", 400, chance(), WHOLE).tolist()
    corpus = WHOLE.tolist()
    seen = {tuple(corpus[index : index + 3]) for index in range(len(corpus) - 2)}

    assert {tuple(text[index : index + 3]) for index in range(len(text) - 2)} - seen


def test_patchwork_copies_sequences(generators):
    """A patchwork is made of sequences of the corpus."""
    text = generators.write("pw5", 100, chance(), WHOLE).tolist()
    corpus = WHOLE.tolist()
    sequences = {tuple(corpus[index : index + 5]) for index in range(len(corpus) - 4)}

    assert all(tuple(text[index : index + 5]) in sequences for index in range(0, 100, 5))


def test_stuffing_pushes_words_in(generators):
    """Stuffed text is the natural text, in order, with spam words between."""
    spam = {word_hash(word) | 1 for word in SPAM_WORDS["report"].split()}
    natural = np.arange(1, 2001, 2, dtype=np.uint64)
    text = generators.write("ws25", 1000, chance(), natural).tolist()
    left = [token for token in text if token not in spam]

    assert natural[: len(left)].tolist() == left
    assert 700 < len(left) < 800


def test_spam_words_are_not_shared():
    """What calibrates the threshold is not what it is reported on."""
    assert not set(SPAM_WORDS["calibration"].split()) & set(SPAM_WORDS["report"].split())
