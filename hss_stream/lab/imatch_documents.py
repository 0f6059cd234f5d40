"""Documents as the evaluation of I-Match needs them: words in order, distinct words, signatures."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.imatch import COORDINATES, Signer
from hss_stream.signals.lexicon import Lexicon
from hss_stream.signals.words import WordHasher
from hss_stream.sources.record import SourceRecord
from hss_stream.steps.score_page import read_body

# Section 6.3 of the paper ignores documents with fewer distinct words.
LEAST_WORDS = 5


@dataclass(frozen=True, eq=False)
class Document:
    """One document: its tokens, and its distinct words of section 6.3, those of addresses included."""

    tokens: NDArray[np.uint64]
    words: NDArray[np.uint64]


def candidates(tokens: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the distinct candidates among tokens, in rising order."""
    return np.unique(tokens[tokens & np.uint64(1) == 1])


def read_documents(records: Iterable[SourceRecord]) -> list[Document]:
    """Return the documents of a source in order, without those that have too few words."""
    hasher = WordHasher()
    documents = []
    for record in records:
        text = read_body(record.body, record.kind, record.content_type).text
        # The truth knows no addresses: without their marks the words in them are words.
        words = candidates(hasher.hash(text.replace(b"://", b" ").replace(b"@", b" ")))
        if words.size >= LEAST_WORDS:
            documents.append(Document(hasher.hash(text), words))
    return documents


def without_duplicates(documents: list[Document]) -> list[Document]:
    """Return the first of all documents that have the same set of words."""
    first: dict[bytes, Document] = {}
    for document in documents:
        first.setdefault(document.words.tobytes(), document)
    return list(first.values())


def sign_documents(documents: list[Document], lexicon: Lexicon) -> NDArray[np.uint64]:
    """Return the signatures, a row a document."""
    signer = Signer(lexicon)
    rows = [signer.sign(document.tokens).values for document in documents]
    return np.array(rows, np.uint64).reshape(-1, COORDINATES)
