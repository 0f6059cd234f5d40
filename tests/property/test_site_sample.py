"""The sample of a provider's sites: bounded, fair, recent, and the same in every order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hss_stream.signals.site_sample import SiteSample, site_rank
from hss_stream.signals.tag_structure import TagStructure

arrivals = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 5)), max_size=60)


def page(text):
    """Return a structure that can be told from others."""
    return TagStructure(text, (0,) * 11)


def fill(rows, capacity=8):
    """Return a sample after (domain, day) arrivals."""
    sample = SiteSample(capacity=capacity)
    for domain, day in rows:
        sample = sample.with_site(f"d{domain}.example", float(day), page("x"))
    return sample


@given(st.sets(st.integers(0, 60)), st.randoms(use_true_random=False))
def test_order_makes_no_difference(domains, chance):
    """The same sites with the same times give the same sample, however they arrive."""
    rows = [(domain, domain % 3) for domain in sorted(domains)]
    shuffled = chance.sample(rows, len(rows))

    assert list(fill(rows).ordered()) == list(fill(shuffled).ordered())


@given(arrivals)
def test_sample_is_bounded(rows):
    """Never more sites than its capacity, each domain once, all of them where they fit."""
    sample = fill(rows)

    assert min(8, len({domain for domain, _ in rows})) == len(sample.sites)


@given(arrivals)
def test_sample_survives_storing(rows):
    """What is stored comes back equal, with its format number in front."""
    sample = fill(rows)
    stored = sample.to_bytes()

    assert 1 == stored[0]
    assert sample == SiteSample.from_bytes(stored)


@pytest.mark.parametrize("stored", [b"", b"\x02x", b"\x01garbage", SiteSample().to_bytes()[:-3]])
def test_foreign_bytes_are_refused(stored):
    """Another format, garbage and a cut value are refused, not guessed at."""
    with pytest.raises(ValueError, match="reading a sample of sites"):
        SiteSample.from_bytes(stored)


def test_new_page_replaces_the_old():
    """A home page fetched again takes the place of its former self, and a site that left is gone."""
    sample = SiteSample().with_site("a.example", 0.0, page("old")).with_site("a.example", 1.0, page("new"))

    assert [("a.example", page("new"))] == list(sample.ordered())
    assert [] == list(sample.without_site("a.example").without_site("b.example").ordered())


def test_sample_follows_the_mix():
    """A year after the mix changed, the sample is nearly all of the new kind, although the old are more."""
    sample = SiteSample(capacity=64)
    for number in range(4000):
        sample = sample.with_site(f"old{number}.example", 0.0, page("old"))
    for number in range(1000):
        sample = sample.with_site(f"new{number}.example", 365.0, page("new"))
    kinds = [structure.tags for _, structure in sample.ordered()]

    assert kinds.count("new") > 50


def test_ranks_are_fair():
    """Equal times give every domain the same chance: ranks follow the extreme-value law they should."""
    ranks = np.array([site_rank(f"{number}.example", 0.0) for number in range(20_000)])

    assert abs(np.exp(ranks).mean() - 1.0) < 0.05
