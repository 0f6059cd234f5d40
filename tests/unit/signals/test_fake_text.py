"""Odd input has a defined outcome, and is never called fake by accident."""

import random

import pytest

from hss_stream.models.shipped_model import load_model
from hss_stream.signals.fake_text import FakeTextScorer, score_sums

CHANCE = random.Random(1)
ODD = {
    "empty": (b"", "too_short"),
    "one giant word": (b"a" * 10_000_000, "too_short"),
    "one rare word repeated": (b"viagra " * 3000, "unknown_language"),
    "one common word repeated": (b"the " * 3000, "unknown_language"),
    "numbers": (" ".join(str(CHANCE.randrange(10**6)) for _ in range(3000)).encode(), "unknown_language"),
    "bytes": (bytes(CHANCE.randrange(256) for _ in range(50_000)), "unknown_language"),
    "program": (b"for (i = 0; i < n; i++) { a[i] = b[i] * c->d; }\n" * 200, "unknown_language"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_input_is_not_fake(name):
    """Each kind of odd input has its outcome."""
    text, verdict = ODD[name]

    assert verdict == FakeTextScorer(load_model().model).score(text).verdict


def test_sums_add_up():
    """The score of two texts' added sums counts the tokens of both."""
    scorer = FakeTextScorer(load_model().model)
    one, two = b"The cat sat on the mat. " * 20, b"It was a dark and stormy night. " * 20
    both = score_sums(scorer.model, scorer.sums(one) + scorer.sums(two))

    assert scorer.score(one).tokens + scorer.score(two).tokens == both.tokens


def test_spans_quote_the_text():
    """A worst span is a stretch of the text itself."""
    text = (
        b"This is the end of the story. " * 10
        + b"zoloft of the wager best to screensaver the in baccarat " * 3
    )
    spans = FakeTextScorer(load_model().model).worst_spans(text)

    assert spans
    assert all(span.text in text.decode() for span in spans)
