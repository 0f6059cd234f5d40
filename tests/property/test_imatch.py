"""Signatures equal their definition, and do not change with what must not matter."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hss_stream.signals.imatch import Signer
from hss_stream.signals.lexicon import DEFAULT, PAPER, make_lexicon
from hss_stream.signals.words import WordHasher, word_hash
from tests.oracles.slow_imatch import slow_levels, slow_signatures

DOCUMENTS = 10_000
KNOWN = [f"word{letter}{other}" for letter in "abcdefgh" for other in "abcdefghij"]
# From in every second document to in one: all levels occur.
FREQUENCIES = {word_hash(word): max(1, int(DOCUMENTS / 2 * 0.9**place)) for place, word in enumerate(KNOWN)}
WORDS = [*KNOWN, *(f"unheard{letter}" for letter in "abcdefghijklmnop"), "the", "a12b", "!"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=80)
SETTINGS = st.sampled_from([PAPER, DEFAULT, replace(DEFAULT, open_vocabulary=False), replace(PAPER, seed=9)])
HASHER = WordHasher()
SIGNERS = {}


def signer_of(setting):
    """Return a signer of the small lexicon under a setting."""
    if setting not in SIGNERS:
        words, counts = np.array(list(FREQUENCIES), np.uint64), np.array(list(FREQUENCIES.values()))
        SIGNERS[setting] = Signer(make_lexicon(words, counts, DOCUMENTS, setting))
    return SIGNERS[setting]


def sign(text, setting=DEFAULT):
    """Return the signatures of a text."""
    return signer_of(setting).sign(HASHER.hash(text.encode()))


@given(TEXTS, SETTINGS)
def test_signatures_equal_definition(words, setting):
    """One pass gives what sets and sorted lists give."""
    signer = signer_of(setting)
    tokens = HASHER.hash(" ".join(words).encode())
    levels = slow_levels(FREQUENCIES, DOCUMENTS)

    assert slow_signatures(tokens.tolist(), levels, setting, signer.lexicon.id) == signer.sign(tokens).values


@given(TEXTS, st.randoms(use_true_random=False))
def test_order_and_form_do_not_matter(words, source):
    """Order, repetition, line breaks, case and punctuation between the words change nothing."""
    shuffled = [word.upper() for word in words + words[:3]]
    source.shuffle(shuffled)
    joined = "".join(word + source.choice([" ", "\n", "\r\n\t", ", ", "\u00a0"]) for word in shuffled)

    assert sign(" ".join(words)) == sign(joined)


@given(TEXTS, st.lists(st.sampled_from(["the", "a", "2004", "x11y", "!", KNOWN[0]])))
def test_unused_words_do_not_matter(words, noise):
    """Short words, numbers, punctuation and words below the lexicon's range change nothing."""
    assert sign(" ".join(words)) == sign(" ".join(noise + words + noise))
