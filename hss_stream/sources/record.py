"""What every source gives: records, and problems as values.

A source is somebody else's file: cut, hostile or merely odd. Nothing in it stops a run. What cannot be
read becomes a `SourceProblem` handed to the caller's callback, and reading goes on with the next record.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, get_args

Kind = Literal["page", "mail", "text"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# A body beyond this is reported and left out; it bounds the memory of every reader, also against
# compressed files that swell. The largest page that a browser would show is far below.
MAX_BODY_BYTES = 64 * 1024 * 1024

ProblemReason = Literal[
    "not_a_page",  # neither HTML, mail nor text by its first bytes
    "unreadable",  # the file or record is broken
    "truncated",  # the file ends in the middle of a record
    "oversized",  # over the limit, compressed or not
    "broken_line",  # a line of a JSONL file that is no record
]


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """One page, message or text, with what its source says about it.

    `body` is as fetched (transfer and content encodings removed), `domain` is set only where the source
    decides it (files), `truth` is a label for evaluation, `fetched_at` is aware.
    """

    url: str
    body: bytes
    kind: Kind
    content_type: str | None = None
    fetched_at: datetime | None = None
    status: int | None = None
    nameservers: tuple[str, ...] = ()
    truth: str | None = None
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class SourceProblem:
    """Something that could not be read: in which source, where in it, and why."""

    source: str
    where: str
    reason: ProblemReason
    detail: str

    def __str__(self) -> str:
        """Return the problem as one line."""
        place = f"{self.source}: {self.where}" if self.where else self.source
        return f"{place}: {self.detail}"


OnProblem = Callable[[SourceProblem], None]
Reader = Callable[[Path, Kind | None, OnProblem], Iterator[SourceRecord]]


@dataclass
class ProblemCount:
    """A callback that counts problems by reason and keeps the first few to show."""

    kept: int = 20
    counts: Counter[str] = field(default_factory=Counter)
    first: list[SourceProblem] = field(default_factory=list)

    def __call__(self, problem: SourceProblem) -> None:
        """Count one problem."""
        self.counts[problem.reason] += 1
        if len(self.first) < self.kept:
            self.first.append(problem)

    @property
    def total(self) -> int:
        """Return how many problems there were."""
        return self.counts.total()


def file_domain(url: str) -> str | None:
    """Return the domain of a `file:///` URL, its first path component; None for other URLs.

    >>> file_domain("file:///shop/index.html")
    'shop'
    """
    if not url.startswith("file:///"):
        return None
    return url.removeprefix("file:///").split("/", 1)[0] or None
