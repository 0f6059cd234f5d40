"""Crashes, repeated deliveries, zombies and sweeps in any order give the result of an undisturbed run."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hss_stream.verdicts.cluster_rules import ClusterRules
from tests.contract.chaos import Run
from tests.synthetic_pages import START, template_page

RULES = ClusterRules(
    lifetime_seconds=6000, domain_lifetime_seconds=5000, representatives=3, bucket_entries=100
)

ACTS = st.tuples(
    st.sampled_from(["deliver", "crash", "crash", "zombie", "sweep", "commit", "again", "restart"]),
    st.integers(1, 30),
    st.integers(0, 12),
    st.sampled_from(["before", "within", "after"]),
)


def crawl(seed, pages=70):
    """Return pages of a few drifting templates, over hours, from a few domains that link to each other."""
    return [
        template_page(
            number * 2, (number * 7 + seed) % 5 + number // 25 * 5, noise=0.5 if number % 3 else 0.2,
            page=number + 1000 * seed,
            domain=f"d{number % 6}.example", links=(f"d{number % 4}.example",),
            at=START + 300 * number if number % 9 else START,
        )
        for number in range(pages)
    ]  # fmt: skip


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(acts=st.lists(ACTS, min_size=3, max_size=25), seed=st.integers(0, 20))
async def test_mishaps_change_nothing(make_store, acts, seed):
    """Any mishaps: the same clusters, counts, index, domains, clocks, and the same events byte for byte."""
    pages = crawl(seed)
    calm, rough = make_store(RULES), make_store(RULES)
    await calm.open()
    await rough.open()
    clean = Run(calm, RULES, pages)
    expected = await clean.finish()
    run = Run(rough, RULES, pages)
    for act in acts:
        await run.act(*act)
    result = await run.finish()
    await calm.close()
    await rough.close()

    assert expected == result
    assert clean.events == run.events
