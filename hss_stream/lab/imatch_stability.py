"""What signatures survive: n changed lexicon words beside equation 1, and 5 % of the words changed.

A text is stable when at least one coordinate of its signature before and after agrees. Equation 1 of the
paper counts the randomised copies alone, because a change always breaks the first coordinate.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hss_stream.lab.imatch_documents import Document, candidates
from hss_stream.signals.imatch import Signer, matching_signatures
from hss_stream.signals.lexicon import COPIES, Lexicon

LEAST_TERMS = 8
MAX_DOCUMENTS = 2000
CHANGES = (1, 2, 5)
WORD_SHARE = 0.05


def equation_1(dropped: float, changes: int, copies: int = COPIES) -> float:
    """Return the chance that a copy survives n changes of lexicon words, when each copy lacks a share.

    >>> round(equation_1(1 / 3, 2), 3)
    0.692
    """
    return 1 - (1 - dropped**changes) ** copies


def measure_stability(
    documents: list[Document], lexicon: Lexicon, seed: int
) -> Iterator[tuple[str, float, dict[str, Any]]]:
    """Yield case, stability and further facts.

    Changed lexicon words are tried on texts with enough primary words, as equation 1 supposes; changed shares
    of all words on every text with as many words of the whole lexicon.
    """
    source = np.random.default_rng(seed)
    signer = Signer(lexicon)
    primary, every = _lexicon_words(lexicon)
    usable = _with_terms(documents, primary, source)
    for changes in CHANGES if usable else ():
        changed = [_insert_primary(one.tokens, primary, changes, source) for one in usable]
        expected = round(equation_1(1 - lexicon.setting.keep, changes), 4)
        facts: dict[str, Any] = {"documents": len(usable), "equation_1": expected}
        yield f"stability, {changes} lexicon words inserted", _stable_share(usable, changed, signer), facts
    usable = _with_terms(documents, every, source)
    pool = np.concatenate([np.zeros(0, np.uint64), *(one.tokens for one in usable)])
    for act in ("inserted", "deleted", "substituted") if usable else ():
        changed = [_change_share(one.tokens, pool, act, source) for one in usable]
        facts = {"documents": len(usable), "equation_1": None}
        yield f"stability, 5 % of the words {act}", _stable_share(usable, changed, signer), facts


def _with_terms(
    documents: list[Document], words: NDArray[np.uint64], source: np.random.Generator
) -> list[Document]:
    """Return documents that have enough of the words, at most MAX_DOCUMENTS drawn at random."""
    usable = [one for one in documents if _count_in(candidates(one.tokens), words) >= LEAST_TERMS]
    if len(usable) <= MAX_DOCUMENTS:
        return usable
    return [usable[place] for place in sorted(source.choice(len(usable), MAX_DOCUMENTS, replace=False))]


def _count_in(some: NDArray[np.uint64], words: NDArray[np.uint64]) -> int:
    """Return how many of some words are among many sorted ones."""
    places = np.searchsorted(words, some)
    return int((words[np.minimum(places, words.size - 1)] == some).sum())


def _lexicon_words(lexicon: Lexicon) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the words of the primary lexicon, and those with the secondary one."""
    words, levels = lexicon.words_and_levels()
    low, high = lexicon.setting.levels
    return words[(levels >= low) & (levels <= high)], words[levels >= low]


def _stable_share(before: list[Document], after: list[NDArray[np.uint64]], signer: Signer) -> float:
    stable = sum(
        matching_signatures(signer.sign(one.tokens), signer.sign(two)) > 0
        for one, two in zip(before, after, strict=True)
    )
    return stable / len(before)


def _insert_primary(
    tokens: NDArray[np.uint64], primary: NDArray[np.uint64], changes: int, source: np.random.Generator
) -> NDArray[np.uint64]:
    """Return the tokens with primary words that the text does not have."""
    absent = np.setdiff1d(primary, tokens)
    return np.concatenate([tokens, source.choice(absent, min(changes, absent.size), replace=False)])


def _change_share(
    tokens: NDArray[np.uint64], pool: NDArray[np.uint64], act: str, source: np.random.Generator
) -> NDArray[np.uint64]:
    """Return the tokens with a share of them deleted, replaced from the pool, or added out of it."""
    count = max(1, round(WORD_SHARE * tokens.size))
    places = source.choice(tokens.size, count, replace=False)
    drawn = source.choice(pool, count)
    if act == "inserted":
        return np.insert(tokens, places, drawn)
    if act == "deleted":
        return np.delete(tokens, places)
    changed = tokens.copy()
    changed[places] = drawn
    return changed
