"""In how many documents each word stands, counted in bounded memory.

The distinct words of the documents go to a buffer; a full buffer is sorted and merged into the counts. When
there are more words than the memory allows, the rarest are dropped and a floor is remembered (lossy counting,
Manku and Motwani 2002): a count may then be too low by at most the floor, which the result names. Rare words
are the ones that a lexicon does not need.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hss_stream.errors import ModelError
from hss_stream.signals.lexicon import Lexicon, LexiconSetting, make_lexicon

# A text with fewer distinct candidates is no document (section 6.3 of the paper).
LEAST_WORDS = 5
# Bytes of memory a counted word takes while two sorted lists are merged.
_BYTES_A_WORD = 48


@dataclass(frozen=True)
class WordCounts:
    """Distinct candidate words with the number of documents that have them."""

    words: NDArray[np.uint64]
    frequencies: NDArray[np.int64]
    documents: int
    floor: int  # what each count may lack


class DocumentCounter:
    """Counts documents by word, in memory of about so many bytes."""

    def __init__(self, memory_bytes: int) -> None:
        self._max_words = max(1024, memory_bytes // _BYTES_A_WORD)
        self._words = np.zeros(0, np.uint64)
        self._frequencies = np.zeros(0, np.int64)
        self._buffer: list[NDArray[np.uint64]] = []
        self._buffered = 0
        self._documents = 0
        self._floor = 0

    def add(self, tokens: NDArray[np.uint64]) -> None:
        """Count one document given as the tokens of its words."""
        words = np.unique(tokens[tokens & np.uint64(1) == 1])
        if words.size < LEAST_WORDS:
            return
        self._documents += 1
        self._buffer.append(words)
        self._buffered += words.size
        if self._buffered >= self._max_words // 2:
            self._merge()

    def _merge(self) -> None:
        if not self._buffer:
            return
        fresh, counts = np.unique(np.concatenate(self._buffer), return_counts=True)
        self._buffer, self._buffered = [], 0
        words = np.concatenate([self._words, fresh])
        frequencies = np.concatenate([self._frequencies, counts])
        order = np.argsort(words, kind="stable")
        words, frequencies = words[order], frequencies[order]
        first = np.concatenate([[True], words[1:] != words[:-1]])
        frequencies = np.add.reduceat(frequencies, np.flatnonzero(first))
        words = words[first]
        while words.size > self._max_words:
            self._floor += 1
            kept = frequencies > self._floor
            words, frequencies = words[kept], frequencies[kept]
        self._words, self._frequencies = words, frequencies

    def finish(self) -> WordCounts:
        """Return what was counted."""
        self._merge()
        return WordCounts(self._words, self._frequencies, self._documents, self._floor)


def lexicon_of(counts: WordCounts, setting: LexiconSetting, *, least_documents: int) -> Lexicon:
    """Return the lexicon of words that stand in at least so many documents."""
    if counts.documents < 2:
        raise ModelError(
            f"training a lexicon: {counts.documents} documents with words are too few; give a larger corpus"
        )
    kept = counts.frequencies >= least_documents
    if not kept.any():
        raise ModelError(f"training a lexicon: no word stands in {least_documents} documents; ask for fewer")
    return make_lexicon(counts.words[kept], counts.frequencies[kept], counts.documents, setting)
