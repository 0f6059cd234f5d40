"""Pages made to harm: rules hold, memory stays bounded, each has a clear outcome."""

from dataclasses import replace

import numpy as np
import pytest

from hss_stream.errors import BadPageError
from hss_stream.signals.probes import PROBE_SLOTS
from hss_stream.steps.events import Origin
from hss_stream.steps.place_page import PlacePages
from hss_stream.steps.scan_page import PageToPlace
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.verdicts.cluster_rules import ClusterRules
from tests.synthetic_pages import START, page_of_values

SHARED = 400


def own_slots(seed):
    """Return 128 slots that no other seed has."""
    return np.random.default_rng(seed).integers(1, 2**32, 128, dtype=np.uint32)


async def place(pages, rules=None):
    """Place pages in a new store; return the placements and the store."""
    store = MemoryClusterStore(rules)
    return await PlacePages(store, store.rules).place(pages), store


async def test_one_probe_value_in_every_page():
    """However many unrelated pages share a probe value, its bucket stays small and all find a place."""
    pages = []
    for number in range(SHARED):
        slots = own_slots(number)
        slots[PROBE_SLOTS[0]] = 77
        pages.append(page_of_values(number, slots))
    placements, store = await place(pages)
    largest = max(len(bucket) for state in store.states for bucket in state.buckets.values())

    assert {"opened"} == {one.outcome for one in placements}
    assert largest <= store.rules.bucket_entries


async def test_crafted_chain_does_not_swallow():
    """Pages glued from each two neighbours of a row of unrelated templates fold no two of them."""
    templates = [own_slots(number) for number in range(12)]
    pages = [page_of_values(number, slots) for number, slots in enumerate(templates)]
    for number in range(11):
        half = np.where(np.arange(128) < 64, templates[number], templates[number + 1])
        pages.append(page_of_values(12 + number, half))
    placements, store = await place(pages)
    records = [record async for _, record in store.list_clusters("s")]

    assert not any(record.into for record in records)
    assert len({one.cluster for one in placements[:12]}) == 12
    free, loose = await place(pages, ClusterRules(bridge_slots=0))
    assert {"merged"} <= {one.outcome for one in free}
    assert 1 == len([record async for _, record in loose.list_clusters("s") if not record.into])


async def test_endless_url_is_a_bad_page():
    """A URL of 10 MB is no page: it is refused in words, before anything is stored."""
    origin = Origin("test", "pages", 0, 0)
    step = PlacePages(MemoryClusterStore())
    with pytest.raises(BadPageError, match="characters"):
        await step([PageToPlace(origin, "https://x.example/" + "a" * 10_000_000, START * 1000, b"<p>")])


@pytest.mark.parametrize("name", ["{", "}", "{a}", "a\nb", "a\0b", "", "é" * 300])
async def test_odd_names_are_sources_and_urls_like_others(name):
    """Braces, newlines and NUL in names change nothing."""
    page = page_of_values(0, own_slots(1), url=f"https://x.example/{name}")
    page = replace(page, origin=Origin(name, name, 0, 0))
    [placement], store = await place([page])

    assert "opened" == placement.outcome
    assert placement.events[0].encode()
    assert all(len(one.url) <= 255 for state in store.states for one in state.representatives.values())
