"""Crashes, repeated deliveries, zombies and sweeps in any order give the result of an undisturbed run."""

import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hss_stream.steps.judge_pages import TEXT_RULES, text_words
from hss_stream.store.layout import domain_hash
from hss_stream.verdicts.cluster_rules import ClusterRules
from hss_stream.verdicts.text_match import text_sketch
from tests.contract.chaos import Run
from tests.synthetic_pages import START, template_page

RULES = ClusterRules(
    lifetime_seconds=6000, domain_lifetime_seconds=5000, representatives=3, bucket_entries=100
)
TEXTS = replace(TEXT_RULES, bucket_entries=100)

# TEST_MISHAPS=2000 for a night; see docs/contributing.md.
EXAMPLES = int(os.environ.get("TEST_MISHAPS", "6"))

ACTS = st.tuples(
    st.sampled_from(["deliver", "crash", "crash", "zombie", "sweep", "commit", "again", "restart"]),
    st.integers(1, 30),
    st.integers(0, 12),
    st.sampled_from(["before", "within", "after"]),
)

# A batch applied on half of the shards when the sweep comes.
SWEPT_HALF_APPLIED = [
    ("deliver", 25, 0, "before"),
    ("deliver", 28, 0, "before"),
    ("crash", 11, 8, "within"),
    ("deliver", 18, 0, "before"),
    ("sweep", 1, 0, "before"),
]


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
    ] + last_pages(2 * pages)  # fmt: skip


def last_pages(offset):
    """Return pages a day later that move every shard's clock: the sweep looks at whole hours alone."""
    names = {}
    for number in range(1000):
        names.setdefault(domain_hash(f"end{number}.example") % 16, f"end{number}.example")
    return [
        template_page(offset + shard, 99, noise=0.1, domain=names[shard], at=START + 86_400)
        for shard in range(16)
    ]


def texts(seed, messages=70):
    """Return texts of a few campaigns whose signatures change one by one, under two lexicons."""
    return [
        text_page_of(
            2 * number,
            1 + number // 45,
            [(number * 7 + seed) % 4 * 1000 + (number // (3 + k)) * (k > 2) + k + 1 for k in range(11)],
            at=START + 300 * number,
        )
        for number in range(messages)
    ]


def text_page_of(offset, lexicon, signatures, at):
    """Return a text with these signatures."""
    sketch = text_sketch(lexicon, signatures)
    words = text_words(np.frombuffer(sketch, ">u2").astype(np.uint32))
    page = template_page(offset, 1, at=at, domain=f"d{offset % 6}.example")
    return replace(page, sketched=replace(page.sketched, sketch=sketch, words=words))


@settings(
    max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(acts=st.lists(ACTS, min_size=3, max_size=25), seed=st.integers(0, 20))
@example(acts=SWEPT_HALF_APPLIED, seed=17)
async def test_mishaps_change_nothing(make_store, acts, seed):
    """Any mishaps: the same clusters, counts, index, domains, clocks, and the same events byte for byte."""
    await compare(make_store, acts, crawl(seed), RULES, "s")


@pytest.mark.parametrize("space", ["t", "m"])
@settings(
    max_examples=(EXAMPLES + 1) // 2,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(acts=st.lists(ACTS, min_size=3, max_size=25), seed=st.integers(0, 20))
async def test_mishaps_change_no_text(make_store, space, acts, seed):
    """The same holds for texts and campaigns, of two lexicons side by side."""
    await compare(make_store, acts, texts(seed), TEXTS, space)


async def compare(make_store, acts, pages, rules, space):
    """Run pages undisturbed and through mishaps; both must show the same."""
    calm, rough = make_store(rules), make_store(rules)
    await calm.open()
    await rough.open()
    clean = Run(calm, rules, pages, space)
    expected = await clean.finish()
    run = Run(rough, rules, pages, space)
    for act in acts:
        await run.act(*act)
    result = await run.finish()
    await calm.close()
    await rough.close()

    assert expected == result
    assert clean.events == run.events
