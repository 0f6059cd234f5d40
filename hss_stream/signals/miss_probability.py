"""How often probing overlooks two pages that match (section 3.4.2 of the 2006 paper).

Two sketches agree in t of m slots. p probes look at k slots each, and find the pair when one probe's slots
all agree. With k = 1 the probes are p different slots, so the pair is missed when all p lie among the
m - t others:

    P_miss = C(m - t, p) / C(m, p) = C(m - p, t) / C(m, t)

The product printed in the paper is not this ratio; the ratio is right (8.9e-4 for p = 20, t = 35).
With k > 1 the probes are random k-subsets, drawn independently: P_miss = (1 - C(t, k) / C(m, k)) ** p.
"""

from math import comb, log

from hss_stream.signals.style_sketch import SLOTS


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
