"""A batch of pages and the state it is decided on: what looking up gives and deciding takes.

What matches is kept in arrays, because most pages of a stream simply join what they resemble: those are
settled many at a time, and only the others become `Candidate`s one by one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class ClusterHead:
    """What decisions need of a cluster's record; `further` maps further representatives to their joins."""

    into: int
    last: int
    further: dict[int, int] = field(default_factory=dict)


class Candidate(NamedTuple):
    """A representative that matches a page; `first`: the first probes found it."""

    slots: int
    representative: int
    first: bool


class PageView(Protocol):
    """What deciding needs of a page itself; `excluded`: the outcome of one that is not placed."""

    @property
    def offset(self) -> int:
        """Its offset in its source."""

    @property
    def at(self) -> int:
        """Its time, seconds."""

    @property
    def domain(self) -> int:
        """The hash of its domain."""

    @property
    def links(self) -> tuple[int, ...]:
        """The hashes of the domains it links to."""

    @property
    def text(self) -> bytes:
        """Its text parts."""

    @property
    def fake(self) -> tuple[int, int, int]:
        """What it adds to the sums of fake text."""

    @property
    def excluded(self) -> int | None:
        """The outcome of a page that is not to be placed."""


class Matches(NamedTuple):
    """Pages and the representatives they match: parallel arrays, by page, best first, older before younger.

    Those of page i are the places from `starts[i]` to `starts[i + 1]`.
    """

    starts: NDArray[np.int64]
    names: NDArray[np.uint64]
    slots: NDArray[np.int64]
    first: NDArray[np.bool_]


@dataclass
class BatchView:
    """A batch and the state it is decided on: a copy that deciding may change.

    `sketches` are rows of stored bytes (`style_match.sketch_rows`), `words` the probe words of each page
    (0: empty slot), `entries` and `bucket_bytes` how many entries of the same word, and bytes in all,
    their buckets hold. `complete`: which pages were looked up with all probes, not the first alone.
    `owners` maps representatives to the cluster they were made for, `sketch_of` and `text_of` give
    their sketches and text parts.
    """

    source: int
    shards: int
    pages: Sequence[PageView]
    sketches: NDArray[np.uint16]
    words: NDArray[np.uint32]
    entries: NDArray[np.int64]
    bucket_bytes: NDArray[np.int64]
    complete: NDArray[np.bool_]
    matches: Matches
    clocks: list[int]
    heads: dict[int, ClusterHead]
    owners: dict[int, int]
    domains: dict[int, tuple[int, int]]
    host_sums: dict[int, tuple[int, int, int]]
    sketch_of: Callable[[int], NDArray[np.uint16]]
    text_of: Callable[[int], bytes]

    def candidates_of(self, number: int) -> list[Candidate]:
        """Return what a page matches, best first."""
        starts, names, slots, first = self.matches
        here = slice(int(starts[number]), int(starts[number + 1]))
        return [
            Candidate(*one)
            for one in zip(slots[here].tolist(), names[here].tolist(), first[here].tolist(), strict=True)
        ]
