"""Fake text added up over a host or a cluster, because detection gets better with length.

What adds up is evidence: the log-odds that a text is fake, each token of it counting once. Twenty short pages
that are each a little suspicious are together as good as one long text, and one odd page among many natural
ones is outvoted. The sums are whole numbers, so that adding them in any order, in any batches and on any
shard gives the same record, and there are only three, because a domain record is small.
"""

import math
from dataclasses import dataclass
from typing import Self

MAX_SUM = 2**32 - 1
# Log-odds beyond this count as this much: no page may speak for a whole host.
MOST_LOG_ODDS = 8.0


@dataclass(frozen=True, slots=True)
class FakeSums:
    """Over all pages whose text could be judged: their number, tokens, and evidence.

    A token of a page with log-odds x adds (1 + x / MOST_LOG_ODDS) / 2 to the evidence: half a token where
    nothing speaks for either side, none where the page is natural beyond doubt.
    """

    pages: int = 0
    tokens: int = 0
    evidence: int = 0

    def __add__(self, other: Self) -> Self:
        """Return both together; a full counter stays full instead of starting again."""
        return type(self)(
            *(min(MAX_SUM, a + b) for a, b in zip(self.to_numbers(), other.to_numbers(), strict=True))
        )

    def __sub__(self, other: Self) -> Self:
        """Return the sums before `other` was added; never below nothing."""
        return type(self)(
            *(max(0, a - b) for a, b in zip(self.to_numbers(), other.to_numbers(), strict=True))
        )

    @property
    def fakeness(self) -> float:
        """Return the fakeness of all judged text together, in [0, 1]: that of its mean log-odds."""
        if not self.tokens:
            return 0.0
        return 1.0 / (1.0 + math.exp(-MOST_LOG_ODDS * (2.0 * self.evidence / self.tokens - 1.0)))

    def to_numbers(self) -> tuple[int, int, int]:
        """Return the three numbers as a record stores them."""
        return (self.pages, self.tokens, self.evidence)


def page_sums(verdict: str | None, tokens: int, fakeness: float | None) -> FakeSums:
    """Return what one page adds: nothing when its text was too short or in an unknown language.

    Guards against hosts condemned by pages nobody could judge.
    """
    if verdict not in {"natural", "fake"} or tokens <= 0 or fakeness is None:
        return FakeSums()
    chance = min(1.0 - 1e-9, max(1e-9, fakeness))
    odds = math.log(chance / (1.0 - chance))
    share = 0.5 + min(MOST_LOG_ODDS, max(-MOST_LOG_ODDS, odds)) / (2.0 * MOST_LOG_ODDS)
    return FakeSums(1, min(MAX_SUM, tokens), min(MAX_SUM, round(tokens * share)))
