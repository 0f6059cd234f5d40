"""Fake text added up over a host or a cluster, because detection gets better with length.

The sums are whole numbers, so that adding them in any order, in any batches and on any shard gives the
same record, and there are only three, because a domain record is small.
"""

from dataclasses import dataclass
from typing import Self

MAX_SUM = 2**32 - 1


@dataclass(frozen=True, slots=True)
class FakeSums:
    """Pages called fake, and over all pages whose text could be judged: tokens, and tokens x fakeness."""

    fake_pages: int = 0
    tokens: int = 0
    fake_tokens: int = 0

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
        """Return the mean fakeness of all judged tokens, in [0, 1]."""
        return self.fake_tokens / self.tokens if self.tokens else 0.0

    def to_numbers(self) -> tuple[int, int, int]:
        """Return the three numbers as a record stores them."""
        return (self.fake_pages, self.tokens, self.fake_tokens)


def page_sums(verdict: str | None, tokens: int, fakeness: float | None) -> FakeSums:
    """Return what one page adds: nothing when its text was too short or in an unknown language.

    Guards against hosts condemned by pages nobody could judge.
    """
    if verdict not in {"natural", "fake"} or tokens <= 0:
        return FakeSums()
    share = min(1.0, max(0.0, fakeness or 0.0))
    return FakeSums(int(verdict == "fake"), min(MAX_SUM, tokens), min(MAX_SUM, round(tokens * share)))
