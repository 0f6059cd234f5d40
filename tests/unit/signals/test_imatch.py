"""Extended signatures: what they survive, and when there is none."""

from dataclasses import replace

import numpy as np
import pytest

from hss_stream.signals.imatch import COORDINATES, Signer, matching_signatures
from hss_stream.signals.lexicon import COPIES, DEFAULT, PAPER, make_lexicon
from hss_stream.signals.words import WordHasher, word_hash

DOCUMENTS = 10_000
# Two hundred words of the primary lexicon (nidf .22), as many of the secondary one.
PRIMARY = [f"prime{a}{b}" for a in "abcdefghij" for b in "abcdefghijklmnopqrst"]
SECONDARY = [f"second{a}{b}" for a in "abcdefghij" for b in "abcdefghijklmnopqrst"]


def make(setting=DEFAULT):
    """Return a signer of the small lexicon."""
    words = np.array([word_hash(word) for word in PRIMARY + SECONDARY], np.uint64)
    counts = np.array([1300] * len(PRIMARY) + [50] * len(SECONDARY))
    return Signer(make_lexicon(words, counts, DOCUMENTS, setting))


def sign(words, signer=None):
    """Return the signatures of a list of words."""
    return (signer or make()).sign(WordHasher().hash(" ".join(words).encode()))


def test_copies_lack_their_share():
    """Each copy lacks about the dropped share of the words, and no two copies are alike."""
    lexicon = make().lexicon
    masks = lexicon.table[1::2][lexicon.table[0::2] != 0] >> np.uint64(16)
    shares = [np.mean(masks >> np.uint64(copy) & np.uint64(1)) for copy in range(COPIES)]

    assert all(abs(share - DEFAULT.keep) < 0.1 for share in shares)
    assert COPIES == len(
        {tuple((masks >> np.uint64(copy) & np.uint64(1)).tolist()) for copy in range(COPIES)}
    )


def test_one_change_leaves_copies():
    """A lexicon word more changes the first signature and leaves those of copies that lack it."""
    before, after = sign(PRIMARY[:40]), sign(PRIMARY[:41])

    assert before.values[0] != after.values[0]
    assert 0 < matching_signatures(before, after) < COORDINATES


def test_other_text_does_not_match():
    """Texts of different words share no coordinate."""
    assert 0 == matching_signatures(sign(PRIMARY[:40]), sign(PRIMARY[100:140]))


@pytest.mark.parametrize("words", [[], ["the", "of"], PRIMARY[:4], ["2004", "x99y"], ["!"] * 99])
def test_too_few_terms_are_null(words):
    """Texts with too few terms have no signature, and nothing matches null."""
    signatures = sign(words)

    assert (0,) * COORDINATES == signatures.values
    assert [None] * COORDINATES == signatures.to_hex()
    assert 0 == matching_signatures(signatures, signatures)
    assert 0 == signatures.computed


def test_secondary_lexicon_fills_up():
    """Where primary words are too few, less common ones make up the number, and no more than that."""
    few = PRIMARY[:4] + SECONDARY[:40]

    assert 8 == sign(few).terms
    assert COORDINATES == sign(few).computed
    assert 30 == sign(PRIMARY[:30] + SECONDARY).terms


def test_unknown_words_count_when_open():
    """With an open vocabulary words of any language give signatures; the paper knows only its lexicon."""
    foreign = [
        "слово",
        "предложение",
        "сообщение",
        "письмо",
        "деньги",
        "банка",
        "карты",
        "адрес",
        "телефон",
    ] * 2
    foreign += [f"{word}{letter}" for word in foreign for letter in "абвгд"]

    assert COORDINATES == sign(foreign).computed
    assert 0 == sign(foreign, make(PAPER)).computed


def test_few_rare_words_are_enough():
    """Five words that hardly any document has say as much as eight common ones."""
    assert 5 == sign(["unheard", "unseen", "unread", "unwritten", "unknown"]).terms


def test_lexicons_live_side_by_side():
    """Two lexicons give signatures from the same words that never match each other."""
    tokens = WordHasher().hash(" ".join(PRIMARY[:40]).encode())
    old, new = make(), make(replace(DEFAULT, seed=2))

    assert old.lexicon.id != new.lexicon.id
    assert 0 == matching_signatures(old.sign(tokens), new.sign(tokens))
    assert not set(old.sign(tokens).values) & set(new.sign(tokens).values)


def test_seed_alone_draws_copies():
    """Another seed keeps the words and draws the copies anew; the same seed gives the same lexicon."""
    lexicon = make().lexicon

    assert lexicon.id == lexicon.with_seed(DEFAULT.seed).id
    assert lexicon.id != lexicon.with_seed(7).id
    assert lexicon.words_and_levels()[0].tolist() == lexicon.with_seed(7).words_and_levels()[0].tolist()


def test_signer_forgets_between_texts():
    """Hundreds of texts by one signer are signed as if each were the first."""
    signer = make()
    texts = [PRIMARY[start : start + 20] for start in range(0, 180, 20)]
    expected = [sign(text) for text in texts]

    for _ in range(60):
        assert expected == [sign(text, signer) for text in texts]


def test_giant_text_gives_memory_back():
    """A text of a million unknown words is signed, and the scratch memory for it is given back."""
    signer = make()
    signer.sign(np.arange(1, 2_000_001, 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1))

    assert signer._secondary.size < 1 << 18
