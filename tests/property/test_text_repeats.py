"""The fast count of what a text repeats equals its definition."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hss_stream.lab.ngram_counting import TokenSpool
from hss_stream.lab.ngram_training import TrainingOptions, build_model, train_orders
from hss_stream.signals.ngram_score import RARE_LOG, Sum, sum_text
from tests.oracles.slow_ngrams import tokens_of
from tests.oracles.slow_repeats import slow_repeats

COMMON = ["the", "of", ",", "."]
RARE = [f"rare{letter}" for letter in "abcdefgh"]
UNKNOWN = ["zzq", "qqz"]
LEARNT = [
    ("the", "rarea"),
    ("rarea", "of"),
    ("rareb", "rarec"),
    ("of", "the"),
    ("rared", "."),
    (".", "raree"),
]
PAIRS = {*LEARNT, *((word, word) for word in COMMON)}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Return a model in which a few words are common, more are rare, and some pairs were seen."""
    with TokenSpool(tmp_path_factory.mktemp("spool") / "tokens") as spool:
        for _ in range(3):
            for word in (*RARE, *COMMON):
                spool.add(tokens_of([word]))
            for pair in LEARNT:
                spool.add(tokens_of(pair))
            for word in COMMON:
                spool.add(np.repeat(tokens_of([word]), 15_000))
        return build_model(*train_orders(spool.corpus(), TrainingOptions(min_history=1)))


def test_words_are_as_rare_as_meant(model):
    """The corpus of these tests has the rare and common words that they rely on."""
    for word in (*COMMON, *RARE):
        assert (word in RARE) == (sum_text(model, tokens_of([word]))[Sum.LOG_1] < RARE_LOG)


@given(st.lists(st.sampled_from([*COMMON, *RARE, *UNKNOWN]), max_size=120), st.integers(0, 600))
def test_repeats_equal_definition(model, text, gap):
    """Every count is that of the definition, also where repeats are far apart."""
    words = [*text, *itertools.repeat("the", gap), *text]
    sums = sum_text(model, tokens_of(words))
    expected = slow_repeats(words, {*COMMON, *RARE}, set(RARE), PAIRS)

    assert expected == sums[Sum.RARE : Sum.SYMBOLS + 1].tolist()


def test_low_bit_of_tokens_does_not_count(model):
    """A word inside an address is the same word: the bit that tells candidates apart is passed over."""
    tokens = tokens_of(["rarea", "the", "rareb", "of", "rarea", "the"])

    assert sum_text(model, tokens).tolist() == sum_text(model, tokens ^ np.uint64(1)).tolist()
