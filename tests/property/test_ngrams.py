"""The hashed model says what a model of dictionaries says."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hss_stream.lab.ngram_counting import TokenSpool
from hss_stream.lab.ngram_training import TrainingOptions, build_model, train_orders
from hss_stream.signals.ngram_score import Sum, new_sums, sum_text
from tests.oracles.slow_ngrams import SlowModel, tokens_of

WORDS = ["a", "b", "c", "dd", "ee", "."]
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=40)
corpora = st.lists(words, min_size=2, max_size=6)


@pytest.fixture(scope="module")
def train(tmp_path_factory):
    """Return a function that trains the fast model on documents of words."""
    folder = tmp_path_factory.mktemp("spool")

    def trained(documents, **options):
        with TokenSpool(folder / "tokens") as spool:
            for document in documents:
                spool.add(tokens_of(document))
            return build_model(*train_orders(spool.corpus(), TrainingOptions(**options)))

    return trained


def last_token(model, text):
    """Return what the last token adds to each sum of a text."""
    return sum_text(model, tokens_of(text)) - (
        sum_text(model, tokens_of(text[:-1])) if len(text) > 1 else new_sums()
    )


@given(corpora, st.lists(st.sampled_from([*WORDS, "zz"]), min_size=1, max_size=8))
def test_probabilities_equal_definition(train, documents, text):
    """Every Katz probability of orders 1 to 4 equals that of the dictionary model."""
    slow, fast = SlowModel(documents, min_count=1), train(documents)
    for end in range(1, len(text) + 1):
        added = last_token(fast, text[:end])
        word = text[end - 1] if text[end - 1] in slow.words else None
        for order in range(1, 5):
            history = tuple(text[max(0, end - order) : end - 1])
            expected = math.log2(slow.chance(history, word))

            assert expected == pytest.approx(added[Sum.LOG_1 + order - 1], abs=2e-5)


@given(corpora, words, st.sampled_from(["katz", "counts"]), st.integers(1, 5))
def test_penalties_equal_definition(train, documents, text, reading, min_history):
    """Known histories and penalties of orders 3 and 4 are those of the dictionary model, in both readings."""
    slow = SlowModel(documents, min_count=1, reading=reading, min_history=min_history)
    fast = train(documents, reading=reading, min_history=min_history)
    sums = sum_text(fast, tokens_of(text))
    for order in (3, 4):
        pairs = [(tuple(text[end - order : end - 1]), text[end - 1]) for end in range(order, len(text) + 1)]
        known = [(history, word) for history, word in pairs if slow.is_known(history)]

        assert len(known) == sums[Sum.KNOWN_3 + order - 3]
        assert sum(slow.penalty(*pair) for pair in known) == pytest.approx(
            sums[Sum.PENALTY_3 + order - 3], abs=1e-3
        )


@given(corpora, words, st.integers(1, 5))
def test_gains_equal_definition(train, documents, text, min_history):
    """Gains and misfits are those of the dictionary model, among words after two words (one for pairs)."""
    slow, fast = (
        SlowModel(documents, min_count=1, min_history=min_history),
        train(documents, min_history=min_history),
    )
    sums = sum_text(fast, tokens_of(text))
    for order, row in ((2, 2), (3, 3), (4, 3)):
        gains = []
        for end in range(order, len(text) + 1):
            history, word = tuple(text[end - order : end - 1]), text[end - 1]
            if "." not in text[end - row : end] and slow.is_known(history):
                word = word if word in slow.words else None
                gains.append(math.log2(slow.chance(history, word) / slow.chance(history[1:], word)))

        assert len(gains) == sums[Sum.PLAIN_2 + order - 2]
        if order > 2:
            assert sum(gains) == pytest.approx(sums[Sum.GAIN_3 + order - 3], abs=1e-3)
        elif all(abs(gain + 1.0) > 1e-4 for gain in gains):
            assert sum(gain < -1.0 for gain in gains) == sums[Sum.MISFITS]


@given(corpora, st.lists(st.sampled_from([*WORDS, "zz"]), max_size=3))
def test_mass_sums_to_one(train, documents, history):
    """The probabilities of all words and of the unknown word after any history sum to 1."""
    fast = train(documents)
    vocabulary = sorted({word for document in documents for word in document} | {"zz"})
    known = [word for word in vocabulary if sum_text(fast, tokens_of([word]))[Sum.WORDS_KNOWN]]
    logs = [last_token(fast, [*history, word])[Sum.LOG_4] for word in [*known, "zz"]]

    assert float(np.exp2(logs).sum()) == pytest.approx(1.0, abs=1e-4)


@given(corpora)
def test_parts_change_nothing(train, documents):
    """Counting in many passes with little memory gives the very same model."""
    assert train(documents).identity == train(documents, memory_bytes=1).identity
