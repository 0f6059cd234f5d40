"""The sample of a provider's sites: bounded, fair, recent, and the same in every order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hss_stream.signals.site_sample import Home, SiteSample, site_day, site_rank
from hss_stream.signals.tag_structure import TagStructure

arrivals = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 5)), max_size=60)


def page(text):
    """Return a home page that can be told from others."""
    return Home(TagStructure(text, (0,) * 11), flags=len(text), target=text)


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

    assert 2 == stored[0]
    assert sample == SiteSample.from_bytes(stored)


@pytest.mark.parametrize("stored", [b"", b"\x01x", b"\x02garbage", SiteSample().to_bytes()[:-3]])
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
    kinds = [home.structure.tags for _, home in sample.ordered()]

    assert kinds.count("new") > 50


def test_ranks_are_fair():
    """Equal times give every domain the same chance: ranks follow the extreme-value law they should."""
    ranks = np.array([site_rank(f"{number}.example", 0.0) for number in range(20_000)])

    assert abs(np.exp(ranks).mean() - 1.0) < 0.05


def test_older_page_changes_nothing():
    """A page that comes late but is older than the one known leaves the newer one in place."""
    sample = SiteSample().with_site("a.example", 5.0, page("new"))

    assert sample is sample.with_site("a.example", 4.0, page("old"))


@pytest.mark.parametrize("sites", [5, 64, 3000])
def test_number_of_sites_is_known(sites):
    """Where all sites fit the number is exact, beyond that it is estimated, and days later it has faded."""
    sample = SiteSample(capacity=64)
    for number in range(sites):
        sample = sample.with_site(f"{number}.example", 100.0, page("x"))

    assert abs(sample.estimate(100.0) / sites - 1) < (0.4 if sites > 64 else 0.2 if sites == 64 else 0.001)
    assert sites < 65 or sample.estimate(190.0) < sample.estimate(100.0) / 2


def test_old_sites_are_no_evidence():
    """A site without a page for half a year is left out, and its day can be told from its rank."""
    sample = SiteSample().with_site("old.example", 0.0, page("x")).with_site("new.example", 150.0, page("x"))

    assert {"new.example"} == set(sample.without_old(200.0).sites)
    assert sample is sample.without_old(170.0)
    assert pytest.approx(150.0) == site_day("new.example", site_rank("new.example", 150.0))
