"""Pages find their clusters, whatever the batches they come in."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hss_stream.steps.place_page import PlacePages, SourceName
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.verdicts.cluster_rules import ClusterRules
from hss_stream.verdicts.placing import HTTP_ERROR
from tests.synthetic_pages import START, template_page

SOURCE = SourceName("test", "pages", 0)


async def place_all(pages, cuts=(), **rules):
    """Place pages in a new store, in batches cut at these places; return placements and store."""
    store = MemoryClusterStore(ClusterRules(**rules))
    place = PlacePages(store, ClusterRules(**rules))
    edges = sorted({0, len(pages), *(cut % (len(pages) + 1) for cut in cuts)})
    placements = []
    for one, two in pairwise(edges):
        placements += await place.place(pages[one:two])
    return placements, store


async def test_pages_of_a_template_share_a_cluster():
    """Pages made by one generator end in one cluster, others in theirs."""
    placements, _ = await place_all([template_page(number, number % 3, noise=0.2) for number in range(30)])

    assert [3, 27] == [sum(p.outcome == kind for p in placements) for kind in ("opened", "joined")]
    assert all(placements[number].cluster == placements[number % 3].cluster for number in range(30))


async def test_excluded_pages_are_not_placed():
    """A page with an HTTP error gets an attachment that says so and no cluster."""
    placements, store = await place_all([template_page(0, 1, excluded=HTTP_ERROR)])

    assert ("http_error", None, 1) == (
        placements[0].outcome,
        placements[0].cluster,
        len(placements[0].events),
    )
    assert [] == [item async for item in store.list_clusters("s")]


async def test_repeated_page_gives_the_same_events():
    """A page delivered again, also to another worker, changes nothing and says the same."""
    pages = [template_page(number, number % 4, noise=0.5) for number in range(60)]
    placements, store = await place_all(pages)
    before = {name: record async for name, record in store.list_clusters("s")}
    again = await PlacePages(store).place(pages)

    assert [event.encode() for p in placements for event in p.events] == [
        event.encode() for p in again for event in p.events
    ]
    assert before == {name: record async for name, record in store.list_clusters("s")}


async def test_committed_page_is_skipped():
    """A page that was committed and trimmed is neither counted again nor announced again."""
    pages = [template_page(number, 1) for number in range(4)]
    _, store = await place_all(pages)
    place = PlacePages(store)
    await place.trim(SOURCE, 3)
    again = await place.place(pages)

    assert ["skipped", "skipped", "skipped"] == [p.outcome for p in again[:3]]
    assert again[3].events


@pytest.mark.parametrize("noise", [0.3, 0.55])
@settings(max_examples=8)
@given(cuts=st.lists(st.integers(0, 200), max_size=12), seed=st.integers(0, 50))
async def test_batches_do_not_matter(noise, cuts, seed):
    """Any split into batches gives the same clusters, counts and events, also as life times end."""
    pages = [
        template_page(
            number, (number * 7 + seed) % 6, noise=noise, page=number + 1000 * seed,
            domain=f"d{number % 5}.example",
            links=(f"d{number % 3}.example",), at=START + 40 * number if number % 9 else START,
        )
        for number in range(90)
    ]  # fmt: skip
    rules = {
        "lifetime_seconds": 600,
        "domain_lifetime_seconds": 400,
        "representatives": 3,
        "bucket_entries": 2,
    }
    one, first = await place_all(pages, range(91), **rules)
    two, second = await place_all(pages, cuts, **rules)

    assert [event.encode() for p in one for event in p.events] == [
        event.encode() for p in two for event in p.events
    ]
    assert {item[0]: item[1] async for item in first.list_clusters("s")} == {
        item[0]: item[1] async for item in second.list_clusters("s")
    }
