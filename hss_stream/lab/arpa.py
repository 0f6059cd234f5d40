"""A trained model in ARPA format, for comparison with other tools: the one place where words are kept.

A model holds hashes only, so the words have to be collected while the corpus is read.
"""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hss_stream.lab.ngram_training import OrderModel
from hss_stream.signals.letters import DIGIT, LETTER, PASSED_OVER
from hss_stream.signals.words import fold_character, word_hash

_LOG10_OF_2 = math.log10(2.0)
# What ARPA writes for a probability of zero.
_NEVER = -99.0


class _Folding(dict[int, str]):
    """A table for str.translate that sets tokens apart, filled as characters turn up."""

    def __missing__(self, code: int) -> str:
        folded, kind = fold_character(chr(code))
        if kind in {LETTER, DIGIT}:
            self[code] = folded
        elif kind == PASSED_OVER:
            self[code] = ""
        else:
            self[code] = f" {chr(code)} " if 32 < code < 127 else " "
        return self[code]


_FOLDING = _Folding()


def split_words(text: bytes) -> list[str]:
    """Return the tokens of a text as folded words, in the order of their hashes."""
    return text.decode(errors="replace").translate(_FOLDING).split()


class WordList:
    """The spelling of every token met."""

    def __init__(self) -> None:
        self._words: dict[int, str] = {}
        self._known: set[str] = set()

    def add(self, text: bytes) -> None:
        """Collect the words of a text."""
        for word in set(split_words(text)) - self._known:
            self._known.add(word)
            self._words[word_hash(word) | 1] = word

    def spell(self, tokens: NDArray[np.uint64]) -> str:
        """Return tokens as words with spaces between."""
        return " ".join(self._words[int(token)] for token in tokens)


def _lines(order: OrderModel, tokens: NDArray[np.uint64], words: WordList, *, last: bool) -> Iterable[str]:
    size = order.ngrams.order
    for index, position in enumerate(order.ngrams.positions):
        spelt = words.spell(tokens[position - size + 1 : position + 1])
        backoff = f"\t{order.backoff[index] * _LOG10_OF_2:.6f}" if order.backoff[index] and not last else ""
        yield f"{order.log[index] * _LOG10_OF_2:.6f}\t{spelt}{backoff}\n"


def write_arpa(
    path: Path, orders: Sequence[OrderModel], unknown: float, tokens: NDArray[np.uint64], words: WordList
) -> None:
    """Write a model; sentences are not marked, so `<s>` and `</s>` never occur."""
    with path.open("w", encoding="utf-8") as file:
        file.write("\\data\\\n")
        for order in orders:
            extra = 3 if order.ngrams.order == 1 else 0
            file.write(f"ngram {order.ngrams.order}={order.log.size + extra}\n")
        for order in orders:
            file.write(f"\n\\{order.ngrams.order}-grams:\n")
            if order.ngrams.order == 1:
                file.write(f"{unknown * _LOG10_OF_2:.6f}\t<unk>\n{_NEVER}\t<s>\n{_NEVER}\t</s>\n")
            file.writelines(_lines(order, tokens, words, last=order is orders[-1]))
        file.write("\n\\end\\\n")
