"""The frozen table of letters is what its definition says."""

import unicodedata

import pytest

from hss_stream.signals.letters import DIGIT, LETTER, PASSED_OVER, SEPARATOR, TABLE_SIZE
from hss_stream.signals.words import fold_character
from tests.oracles.slow_words import slow_class, slow_fold

ASSIGNED = [chr(code) for code in range(TABLE_SIZE) if unicodedata.category(chr(code)) != "Cn"]


def expected_entry(character):
    """Return the folded character and class by definition."""
    if slow_class(character) == PASSED_OVER:
        return character, PASSED_OVER
    kind = slow_class(slow_fold(character))
    return (slow_fold(character), kind) if kind in {LETTER, DIGIT} else (character, SEPARATOR)


def test_table_follows_definition():
    """Every character has the entry of its definition, unless it is younger than the frozen Unicode 14."""
    differing = [
        character for character in ASSIGNED if fold_character(character) != expected_entry(character)
    ]
    younger = [character for character in differing if fold_character(character) == (character, SEPARATOR)]

    assert younger == differing
    assert unicodedata.unidata_version != "14.0.0" or not differing


def test_folding_is_idempotent():
    """A folded character folds to itself and keeps its class."""
    for character in ASSIGNED:
        folded, kind = fold_character(character)

        assert (folded, kind) == fold_character(folded)


@pytest.mark.parametrize(
    ("character", "folded"),
    [("É", "e"), ("İ", "i"), ("ẞ", "ß"), ("\u03c2", "\u03c3"), ("Ж", "ж"), ("\uff21", "a"),
     ("\U0001d400", "a")],
)  # fmt: skip
def test_letters_fold(character, folded):
    """Case, accents and font variants disappear."""
    assert (folded, LETTER) == fold_character(character)


@pytest.mark.parametrize(
    "character", ["\u00ad", "\u200b", "\u200d", "\ufeff", "\u0301", "\ufe0f", "\U000e0041"]
)
def test_invisible_is_passed_over(character):
    """Characters that show nothing do not split words."""
    assert PASSED_OVER == fold_character(character)[1]


@pytest.mark.parametrize(
    "character", [" ", "\u00a0", "\u2019", "\u3002", "\U0001f600", "\ufffd", "\U0010ffff"]
)
def test_symbols_separate(character):
    """Spaces, punctuation beyond ASCII, emoji and private characters end a word."""
    assert SEPARATOR == fold_character(character)[1]


def test_ideographs_are_letters():
    """Scripts without spaces consist of letters, on every plane."""
    assert [LETTER, LETTER] == [fold_character(character)[1] for character in "\u4e2d\U00020000"]
