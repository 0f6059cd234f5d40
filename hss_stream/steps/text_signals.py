"""The one place where the signals of text plug into `score` and `compare`.

Each function takes the visible text of a page or message (UTF-8) and gives its block of the JSON answer, or
`Missing` with the reason. Loading a model belongs into the function that needs it, behind a cache.
"""

from dataclasses import dataclass
from typing import Any

Block = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Missing:
    """A block that could not be computed, and why."""

    why: str


def imatch_block(text: bytes) -> Block | Missing:
    """Return I-Match's block: lexicon, number of terms, 11 signatures."""
    del text
    return Missing("no lexicon is installed")


def faketext_block(text: bytes) -> Block | Missing:
    """Return the block of fake text: perplexities, penalties, verdict, worst spans."""
    del text
    return Missing("no language model is installed")


def fingerprint_of(kind: str, text: bytes, sketch: bytes | None) -> str | Missing:
    """Return the fingerprint of a page or message as hex: format, kind, lexicon id, signatures, sketch."""
    del kind, text, sketch
    return Missing("no lexicon is installed")


def imatch_comparison(text: bytes, other: bytes) -> Block | Missing:
    """Return how many signatures two texts share."""
    del text, other
    return Missing("no lexicon is installed")
