"""The tokeniser kernel equals its slow twin on any input."""

from hypothesis import example, given
from hypothesis import strategies as st

from hss_stream.signals.words import WordHasher
from tests.oracles.slow_words import slow_tokens

HASHER = WordHasher()
PIECES = st.sampled_from(
    [b"word", b"AB12", b"://", b"/", b"@",
     b"'", b" ", b"\xc3\xa9", b"\xc3", b"\xe2\x80\x8b", b"\xe4\xb8\xad", b"\xe0\x80\x80",
     b"\xf0\x9f\x98\x80", b"\xf0\xa0\x80\x80", b"\xf3\xa0\x81\x81", b"\xf4\x90\x80\x80", b"\xed\xa0\x80",
     b"\x80", b"\x00", b"1", b"\xcc\x81"]
)  # fmt: skip
CASED = "".join(
    chr(code) for code in range(0x250) if len(chr(code).upper().lower()) == 1 and chr(code) != "ß"
)
HOSTILE = st.one_of(st.binary(), st.text().map(str.encode), st.lists(PIECES).map(b"".join))


def words_of(raw):
    """Return the hashes of the words without what they may be used for."""
    return [token | 1 for token in HASHER.hash(raw).tolist()]


@given(HOSTILE)
@example(b"\xf0\x80\x80\x80a")
@example(b"a\xe2\x80\x8b!")
def test_kernel_equals_definition(text):
    """Any bytes at all give the tokens of the definition."""
    assert slow_tokens(text) == HASHER.hash(text).tolist()


@given(st.lists(HOSTILE, max_size=6))
def test_separated_texts_concatenate(texts):
    """Texts put together with a space have the tokens of each, one after the other."""
    expected = [token for text in texts for token in slow_tokens(text)]

    assert expected == HASHER.hash(b" ".join(texts)).tolist()


@given(st.text(), st.integers(0, 99))
def test_cut_text_loses_nothing_else(text, cut):
    """Cutting a text anywhere changes at most the words at the cut: all others come from one half."""
    raw = text.encode()
    cut = min(cut, len(raw))
    whole = words_of(raw)
    first, second = words_of(raw[:cut]), words_of(raw[cut:])

    assert first[:-1] == whole[: max(len(first) - 1, 0)]
    assert second[1:] == whole[len(whole) - max(len(second) - 1, 0) :]


@given(st.text(alphabet=CASED))
def test_case_does_not_matter(text):
    """Upper and lower case give the same tokens, wherever case is one letter to one letter."""
    assert HASHER.hash(text.upper().encode()).tolist() == HASHER.hash(text.lower().encode()).tolist()
