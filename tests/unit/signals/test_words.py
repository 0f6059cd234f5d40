"""Words as hashes: what counts as a word, and which of them I-Match may use."""

import numpy as np
import pytest

from hss_stream.signals.words import WordHasher, word_hash


def tokens(text):
    """Return the tokens of a text given as str or bytes."""
    return WordHasher().hash(text.encode() if isinstance(text, str) else text).tolist()


def test_golden_values_hold():
    """Hashes are stored in lexicons, models and signatures: they may never change."""
    golden = {
        "word": 0x890D7D428245DB41,
        "Straße": 0x028B5A99064D96ED,
        "!": 0xF28F0FA8EEFA25D4,
        "2004": 0x4D0F9435B6E408D2,
        "中文": 0xB820E77B259E58D2,
    }

    assert golden == {word: word_hash(word) for word in golden}


def test_words_and_punctuation():
    """Words and single ASCII punctuation bytes are tokens, in the order of the text."""
    expected = [word_hash(word) for word in ["don", "'", "t", "stop", "!", "!", "he", "said"]]

    assert expected == tokens("Don't stop!!\n  he\u2014said")


@pytest.mark.parametrize(
    ("word", "candidate"),
    [("word", 1), ("wor", 0), ("a1bc", 1), ("a12b", 0), ("été1", 1), ("中文", 0), ("中文中文", 1),
     ("ab\u200bc", 0), ("x²y³", 0)],
)  # fmt: skip
def test_candidates_follow_paper(word, candidate):
    """A candidate has at least four characters and at most one digit."""
    assert [candidate] == [token & 1 for token in tokens(word)]


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("visit http://example.org/path?refcode now", ["visit"]),
        ("mail someone@example.org please", ["mail", "please"]),
        ("(https://example.org) word", ["word"]),
        ("word\u00a0http://example.org\u00a0word", ["word", "word"]),
        ("time: //comment and/or", ["time", "comment"]),
        ("www.example.org", ["example"]),
        ("host@ thing", ["thing"]),
    ],
)
def test_addresses_are_no_candidates(text, used):
    """Words of web and mail addresses are tokens like all others, but I-Match does not use them."""
    candidates = [token for token in tokens(text) if token & 1]

    assert [word_hash(word) for word in used] == candidates


def test_case_and_accents_fold():
    """Upper case, accents (composed or not), font variants and hidden characters give the same word."""
    variants = [
        "résumé",
        "RÉSUMÉ",
        "re\u0301sume\u0301",
        "r\u00ade\u200bsume",
        "\uff32esume",
        "r\U0001d5f2sume",
    ]

    assert [[word_hash("resume")]] * len(variants) == [tokens(variant) for variant in variants]


@pytest.mark.parametrize(
    "text",
    ["", " \n\t", "\u200b\u200d", "\U0001f600\U0001f468\u200d\U0001f469", b"\xff\xfe\x80", b"\x00" * 99],
)
def test_nothing_to_say(text):
    """Empty, blank, invisible, emoji-only and broken texts have no tokens."""
    assert [] == tokens(text)


def test_script_without_spaces():
    """A run of ideographs is one token, ended by its own punctuation."""
    assert [word_hash("今天天气很好"), word_hash("谢谢"), word_hash("!")] == tokens("今天天气很好。谢谢!")


def test_giant_word_is_one_token():
    """A word of 10 MB is hashed like any other, and the scratch memory for it is given back."""
    hasher = WordHasher()
    word = b"ab" * 5_000_000

    assert 1 == hasher.hash(word).size
    assert hasher._tokens.nbytes < 1 << 20
    assert hasher.hash(word).tolist() == hasher.hash(word.upper()).tolist()
    assert hasher.hash(word) != hasher.hash(word + b"a")


def test_broken_utf8_separates():
    """A byte that cannot be read ends a word and nothing else."""
    assert [word_hash("good"), word_hash("bad")] == tokens(b"good\xe2\x82bad")
    assert [word_hash("good")] == tokens(b"good\xc3")


def test_hasher_reuse_leaks_nothing():
    """A short text after a long one is hashed as if it were the first."""
    hasher = WordHasher()
    hasher.hash(b"a long text that fills the scratch memory \xc3\xa9" * 3)

    assert [word_hash("cut")] == hasher.hash(b"cut\xc3").tolist()
    assert np.uint64 == hasher.hash(b"").dtype
