"""How often probing misses a pair: formula, simulation, inverse."""

import random

import pytest

from hss_stream.signals.probes import choose_probes, miss_probability


def simulate_miss(chance, probes, matching, size, rounds=20_000):
    """Return how often random probes miss a pair, by trying."""
    missed = 0
    for _ in range(rounds):
        if size == 1:
            missed += all(slot >= matching for slot in chance.sample(range(128), probes))
        else:
            missed += not any(max(chance.sample(range(128), size)) < matching for _ in range(probes))
    return missed / rounds


def test_paper_setting_misses_rarely():
    """P = 20, t = 35 gives the ratio of binomials, not the product printed beside it."""
    assert 8.9e-4 == pytest.approx(miss_probability(20, 35), rel=0.01)


@pytest.mark.parametrize(("probes", "matching", "size"), [(6, 35, 1), (20, 20, 1), (20, 60, 2), (15, 80, 3)])
def test_formula_equals_simulation(probes, matching, size):
    """Trying agrees with the formula within three standard errors."""
    expected = miss_probability(probes, matching, size=size)
    found = simulate_miss(random.Random(1), probes, matching, size)

    assert expected == pytest.approx(found, abs=3 * (expected * (1 - expected) / 20_000) ** 0.5 + 1e-4)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("miss", [0.5, 0.05, 0.01, 1e-4])
@pytest.mark.parametrize("matching", [20, 35, 90])
def test_inverse_is_the_least(size, miss, matching):
    """The chosen number of probes is enough, and one less is not."""
    probes = choose_probes(miss, matching, size=size)

    assert miss_probability(probes, matching, size=size) <= miss
    assert probes == 1 or miss_probability(probes - 1, matching, size=size) > miss


@pytest.mark.parametrize(("miss", "matching", "size"), [(0, 35, 1), (1, 35, 1), (0.1, 0, 1), (0.1, 2, 3)])
def test_impossible_wish_is_refused(miss, matching, size):
    """No number of probes finds a pair that shares no probe, or never misses."""
    with pytest.raises(ValueError, match="choosing probes"):
        choose_probes(miss, matching, size=size)
