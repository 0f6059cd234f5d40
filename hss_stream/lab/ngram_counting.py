"""Counting the n-grams of a corpus of any size in a fixed amount of memory.

The tokens of all documents go to one temporary file, 8 bytes a token. Then each order is counted in as many
passes over that file as needed for the table of one pass to fit: a pass counts only the n-grams whose key
falls into its part. An n-gram is kept when enough documents have it, so only those come out of a pass.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import xxhash
from numba import types
from numpy.typing import NDArray

from hss_stream.signals.kernel import kernel, load_item, store_item
from hss_stream.signals.ngram_table import TOKENS_IN, ngram_key

# Good-Turing discounts counts up to here (Katz 1987); counts of counts are needed one further.
DISCOUNTED = 5
_BOUNDS_IN = types.Array(types.int64, 1, "C", readonly=True)
# Bytes of one place of the counting table: key, count, documents, last document, first position.
_PLACE_BYTES = 28
_MAX_LOAD = 0.7


@dataclass(frozen=True)
class Corpus:
    """Documents within one long row of tokens: where each begins and ends, and the genre it is of."""

    tokens: NDArray[np.uint64]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    genres: NDArray[np.int64]
    # Numbers drawn from the content or the site of the documents, to split a corpus the same way each time.
    draws: NDArray[np.uint64]

    def where(self, wanted: NDArray[np.bool_]) -> "Corpus":
        """Return only the documents wanted."""
        return Corpus(
            self.tokens, self.begins[wanted], self.ends[wanted], self.genres[wanted], self.draws[wanted]
        )

    def documents(self) -> Iterator[NDArray[np.uint64]]:
        """Return the tokens of one document after the other."""
        for begin, end in zip(self.begins, self.ends, strict=True):
            yield np.asarray(self.tokens[begin:end])

    @property
    def size(self) -> int:
        """Tokens in all documents."""
        return int((self.ends - self.begins).sum())


class TokenSpool:
    """The tokens of a corpus on disk, document after document."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb")
        self._ends = [0]
        self._genres: list[int] = []
        self._draws: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._path.unlink()

    def add(self, tokens: NDArray[np.uint64], genre: int = 0, key: bytes = b"") -> None:
        """Append one document; documents with the same key are drawn together."""
        if tokens.size:
            self._file.write((tokens | np.uint64(1)).tobytes())
            self._ends.append(self._ends[-1] + tokens.size)
            self._genres.append(genre)
            self._draws.append(xxhash.xxh3_64_intdigest(key))

    def corpus(self) -> Corpus:
        """Return all documents so far, memory-mapped."""
        self._file.flush()
        tokens = np.memmap(self._path, np.uint64, "r") if self._genres else np.zeros(0, np.uint64)
        ends = np.array(self._ends, np.int64)
        return Corpus(
            tokens, ends[:-1], ends[1:], np.array(self._genres, np.int64), np.array(self._draws, np.uint64)
        )


@dataclass(frozen=True)
class NgramCounts:
    """The kept n-grams of one order, by rising key; `counts_of_counts[r]` is over all, kept or not."""

    order: int
    keys: NDArray[np.uint64]
    counts: NDArray[np.int64]
    # Position, in the spool, of the last token of the first occurrence.
    positions: NDArray[np.int64]
    counts_of_counts: NDArray[np.int64]
    seen: int

    def at_least(self, count: int) -> "NgramCounts":
        """Return those counted at least so often."""
        kept = self.counts >= count
        return NgramCounts(
            self.order,
            self.keys[kept],
            self.counts[kept],
            self.positions[kept],
            self.counts_of_counts,
            self.seen,
        )


@kernel(
    types.int64(
        TOKENS_IN, _BOUNDS_IN, _BOUNDS_IN, types.int64, types.int64, types.int64,
        types.uint64[::1], types.int32[::1], types.int32[::1], types.int32[::1], types.int64[::1],
    )
)  # fmt: skip
def _count_part(
    tokens: Any,
    begins: Any,
    ends: Any,
    order: int,
    parts: int,
    part: int,
    keys: Any,
    counts: Any,
    documents: Any,
    last: Any,
    positions: Any,
) -> int:
    """Count the n-grams of one part into an open-addressing table; return their number, -1 if it is full."""
    mask = keys.size - 1
    used = 0
    for document in range(begins.size):
        for position in range(begins[document] + order - 1, ends[document]):
            key = ngram_key(tokens, position, order)
            if parts > 1 and types.int64((key >> np.uint64(8)) & np.uint64(0xFFFFFF)) % parts != part:
                continue
            place = types.int64(key >> np.uint64(20)) & mask
            while load_item(keys, place) != key and load_item(counts, place) != 0:
                place = (place + 1) & mask
            if load_item(counts, place) == 0:
                if used >= keys.size * _MAX_LOAD:
                    return -1
                used += 1
                store_item(keys, place, key)
                store_item(positions, place, position)
                store_item(last, place, types.int32(-1))
            store_item(counts, place, types.int32(load_item(counts, place) + 1))
            if load_item(last, place) != document:
                store_item(last, place, types.int32(document))
                store_item(documents, place, types.int32(load_item(documents, place) + 1))
    return used


def _table_size(tokens: int, memory_bytes: int) -> int:
    """Return the places of the counting table, a power of two: enough for all, or what memory allows."""
    wanted = max(16, int(tokens / _MAX_LOAD) + 1)
    return min(1 << (wanted - 1).bit_length(), 1 << max(4, (memory_bytes // _PLACE_BYTES).bit_length() - 1))


def count_ngrams(
    corpus: Corpus,
    order: int,
    *,
    min_documents: int,
    memory_bytes: int,
    on_part: Callable[[int, int], None] = lambda _part, _parts: None,
) -> NgramCounts:
    """Return the n-grams of an order that at least `min_documents` documents have."""
    size = _table_size(corpus.size, memory_bytes)
    parts = -(-corpus.size // int(size * _MAX_LOAD)) or 1
    kept: list[tuple[NDArray[Any], ...]] = []
    counts_of_counts = np.zeros(DISCOUNTED + 2, np.int64)
    seen = 0
    part = 0
    while part < parts:
        keys, positions = np.zeros(size, np.uint64), np.zeros(size, np.int64)
        counts, documents, last = (np.zeros(size, np.int32) for _ in range(3))
        table = (keys, counts, documents, last, positions)
        used = _count_part(corpus.tokens, corpus.begins, corpus.ends, order, parts, part, *table)
        if used < 0:
            # One part got more than its share: begin again with more of them.
            parts, part, seen = 2 * parts, 0, 0
            kept.clear()
            counts_of_counts[:] = 0
            continue
        seen += used
        counts_of_counts += np.bincount(np.minimum(counts, DISCOUNTED + 2), minlength=DISCOUNTED + 3)[:-1]
        wide = documents >= min_documents
        kept.append((keys[wide], counts[wide].astype(np.int64), positions[wide]))
        part += 1
        on_part(part, parts)
    counts_of_counts[0] = 0
    all_keys, all_counts, all_positions = (np.concatenate(column) for column in zip(*kept, strict=True))
    by_key = np.argsort(all_keys, kind="stable")
    return NgramCounts(
        order, all_keys[by_key], all_counts[by_key], all_positions[by_key], counts_of_counts, seen
    )
