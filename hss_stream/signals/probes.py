"""LSH probes: the slots by which matching sketches are looked up, and how often they miss one (2006, 3.4).

A probe is a k-subset of the slots, and its key what a sketch holds there; pages with an equal key are
compared. The index looks up p = 20 single slots; batches may draw any p k-subsets.

Two sketches agree in t of m slots. p probes look at k slots each, and find the pair when one probe's slots
all agree. With k = 1 the probes are p different slots, so the pair is missed when all p lie among the
m - t others:

    P_miss = C(m - t, p) / C(m, p) = C(m - p, t) / C(m, t)

The product printed in the paper is not this ratio; the ratio is right (8.9e-4 for p = 20, t = 35).
With k > 1 the probes are random k-subsets, drawn independently: P_miss = (1 - C(t, k) / C(m, k)) ** p.
"""

from math import comb, log

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.style_sketch import SLOTS, StyleSketch

PROBES = 20
# Every sixth slot: any fixed choice serves, because grams fall into slots at random.
PROBE_SLOTS = np.arange(PROBES) * 6 + 3
# Which slots a batch probes is a choice of chance made once.
PROBE_SEED = 2006


def draw_probes(
    probes: int = PROBES, *, size: int = 1, slots: int = SLOTS, seed: int = PROBE_SEED
) -> NDArray[np.int64]:
    """Return p k-subsets of the slots, a row each; single slots are drawn without repetition."""
    chance = np.random.default_rng(seed)
    if size == 1:
        return chance.permutation(slots)[:probes].reshape(-1, 1)
    return np.array([chance.permutation(slots)[:size] for _ in range(probes)])


def probe_words(style: StyleSketch, sketch: bytes) -> NDArray[np.uint32]:
    """Return the keys of the index's probes: the lower half is the stored slot, so that it can be cleaned.

    `sketch` is the byte form of the style; an empty slot has the key 0, and no probe looks for that.
    """
    stored = np.frombuffer(sketch, ">u2")[PROBE_SLOTS].astype(np.uint32)
    words: NDArray[np.uint32] = (style.probe_words()[PROBE_SLOTS] & np.uint32(0xFFFF0000)) | stored
    words[stored == 0] = 0
    return words


def miss_probability(probes: int, matching: int, *, size: int = 1, slots: int = SLOTS) -> float:
    """Return the chance that `probes` probes of `size` slots miss a pair with `matching` equal slots."""
    if size == 1:
        return comb(slots - matching, probes) / comb(slots, probes)
    return (1 - comb(matching, size) / comb(slots, size)) ** probes


def choose_probes(miss: float, matching: int, *, size: int = 1, slots: int = SLOTS) -> int:
    """Return the least number of probes that misses such a pair at most that often, `miss` in (0, 1)."""
    if not 0 < miss < 1 or not size <= matching <= slots:
        raise ValueError(f"choosing probes: no number of them misses {matching} of {slots} at rate {miss}")
    if size == 1:
        return next(
            probes for probes in range(slots + 1) if miss_probability(probes, matching, slots=slots) <= miss
        )
    hit = comb(matching, size) / comb(slots, size)
    return 1 if hit == 1 else max(1, -int(-log(miss) / log(1 - hit) // 1))
