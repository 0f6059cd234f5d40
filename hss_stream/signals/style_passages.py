"""Where two pages agree: the passages whose noise they share, and in which parts of the page these lie.

The sketch says how much two pages agree, not where. Here all overlapping 32-grams of noise are compared,
with their places: a run of shared grams is a passage. It is meant for people who want to see why two
pages were joined, so it takes format 1's noise (all bytes that are no letters or digits) and tells what
lies in markup, which format 2 goes by, and what in text, scripts and comments.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.style_sketch import GRAM_BYTES, IS_NOISE

Region = Literal["head", "markup", "text", "script", "style", "comment"]
REGIONS: tuple[Region, ...] = get_args(Region)
_FACTOR = np.uint64(0x9E3779B97F4A7C15 | 1)


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of shared noise in the first page: its bytes from `start` to `end`, and its grams."""

    start: int
    end: int
    grams: int
    region: Region


@dataclass(frozen=True, slots=True)
class Agreement:
    """The passages of a page that another page shares, longest first, and grams by region."""

    passages: tuple[Passage, ...]
    shared: dict[Region, int]
    total: dict[Region, int]


def find_agreement(page: bytes, other: bytes) -> Agreement:
    """Return where `page` shares noise with `other`; every gram of `page` counts once per occurrence."""
    places, grams = _noise_grams(page)
    is_shared = np.isin(grams, _noise_grams(other)[1])
    regions = region_map(page)
    of_gram = regions[places[: len(grams)]]
    shared = np.bincount(of_gram[is_shared], minlength=len(REGIONS)).tolist()
    total = np.bincount(of_gram, minlength=len(REGIONS)).tolist()
    passages = sorted(_runs(places, is_shared, regions), key=lambda run: (-run.grams, run.start))
    return Agreement(
        tuple(passages), dict(zip(REGIONS, shared, strict=True)), dict(zip(REGIONS, total, strict=True))
    )


def _noise_grams(body: bytes) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return the places of the noise bytes and a hash of the 32-gram that begins at each."""
    raw = np.frombuffer(body, np.uint8)
    places = np.flatnonzero(IS_NOISE[raw])
    noise = raw[places].astype(np.uint64)
    count = max(len(noise) - GRAM_BYTES + 1, 0)
    grams = np.zeros(count, np.uint64)
    for offset in range(GRAM_BYTES):
        grams = grams * _FACTOR + noise[offset : offset + count] + np.uint64(1)
    return places, grams


def _runs(
    places: NDArray[np.int64], is_shared: NDArray[np.bool_], regions: NDArray[np.uint8]
) -> list[Passage]:
    """Return the maximal runs of shared grams as passages of bytes."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], is_shared, [False])).astype(np.int8)))
    return [
        Passage(
            int(places[first]),
            int(places[last + GRAM_BYTES - 2]) + 1,
            last - first,
            REGIONS[int(regions[places[first]])],
        )
        for first, last in edges.reshape(-1, 2).tolist()
    ]


def region_map(body: bytes) -> NDArray[np.uint8]:
    """Return the region of every byte, as its place in REGIONS; linear in any input."""
    regions = np.full(len(body), REGIONS.index("text"), np.uint8)
    lower = body.lower()
    body_start = lower.find(b"<body")
    position = lower.find(b"<")
    while position >= 0:
        region, end = _next_part(lower, position)
        if region == "markup" and position < body_start:
            region = "head"
        regions[position:end] = REGIONS.index(region)
        if region in {"head", "markup"} and lower.startswith((b"<script", b"<style"), position):
            inner: Region = "script" if lower.startswith(b"<script", position) else "style"
            stop = lower.find(b"</" + inner.encode(), end)
            stop = len(body) if stop < 0 else stop
            regions[end:stop] = REGIONS.index(inner)
            end = stop
        position = lower.find(b"<", end)
    return regions


def _next_part(lower: bytes, position: int) -> tuple[Region, int]:
    """Return the region that begins at a `<` and where it ends."""
    if lower.startswith(b"<!--", position):
        end = lower.find(b"-->", position + 4)
        return "comment", len(lower) if end < 0 else end + 3
    end = lower.find(b">", position)
    return "markup", len(lower) if end < 0 else end + 1
