"""What every cluster store promises."""

import numpy as np
import pytest

from hss_stream.signals.probes import PROBE_SLOTS
from hss_stream.store.cluster_store import PinnedBlock
from hss_stream.store.effects import IndexAdd, IndexRemove, Join, NoteDomain, Represent, Touch
from hss_stream.store.failures import StoreWentBackError
from hss_stream.verdicts.cluster_class import TEMPLATE, UNSETTLED, ClassLimits
from hss_stream.verdicts.cluster_id import make_id
from hss_stream.verdicts.cluster_rules import ClusterRules

A, B, C = make_id(1, 1, 3), make_id(2, 1, 5), make_id(3, 1, 3)
AT = 1_700_000_000
SKETCH = bytes(range(1, 129)) * 2
TEXT = b"t" * 16


def join(offset, cluster=A, at=AT, *, domain=1, slots=64, hit=0, opens=False):
    """Return the effect of a page that joins."""
    return Join(offset, at, "s", cluster, slots, domain, b"https://x.example/%d" % offset, hit, opens=opens)


def opening(offset, cluster, at=AT, domain=1):
    """Return the effects of a page that opens a cluster."""
    return [
        join(offset, cluster, at, domain=domain, slots=128, opens=True),
        Represent(offset, at, "s", cluster, cluster, SKETCH, TEXT, b"https://p.example/"),
    ]


async def one_cluster(store, cluster):
    """Return the record of a cluster."""
    [record] = await store.read_clusters("s", [cluster])
    return record


async def test_sources_are_numbered_once(make_store):
    """A source keeps its number; new ones get rising numbers."""
    store = make_store()
    await store.open()
    first = await store.source_number("g", "t", 0)
    other = await store.source_number("g", "t", 0, "again")

    assert first < other
    assert first == await store.source_number("g", "t", 0)
    assert await store.new_run() < await store.new_run()
    await store.close()


async def test_asking_for_nothing_answers(make_store):
    """Reads of nothing give nothing, at once."""
    store = make_store()
    await store.open()

    assert ([], [], [], [], {}) == (
        await store.read_representatives([]),
        await store.read_clusters("s", []),
        await store.read_heads("s", []),
        await store.read_domains([]),
        await store.read_hosts([]),
    )
    assert {} == await store.apply(1, {})
    assert 0 == len((await store.read_buckets(np.zeros((2, 6), np.uint32), 0)).rows)
    await store.close()


async def test_effects_happen_once(make_store):
    """Effects at or below the fence change nothing and answer as the first time."""
    store = make_store()
    await store.open()
    effects = {3: [*opening(1, A), join(2, domain=2), join(3, domain=2)]}
    first = await store.apply(7, effects)
    before = await one_cluster(store, A)
    again = await store.apply(7, effects)

    assert first == again
    assert before == await one_cluster(store, A)
    assert (3, 2, 256) == (before.pages, before.domains, before.similarity_sum)
    assert [1, 2, 3] == [first["s", offset].pages for offset in (1, 2, 3)]
    await store.close()


async def test_domains_are_counted_alike(make_store):
    """Domains are exact up to 32, then within a few in a hundred, in every store the same."""
    store = make_store()
    await store.open()
    effects = [*opening(0, A), *(join(n, domain=n * 2_654_435_761) for n in range(1, 1001))]
    results = await store.apply(1, {3: effects})

    assert 33 == results["s", 32].domains
    assert 1000 == results["s", 1000].domains
    await store.close()


async def test_trimmed_results_are_gone(make_store):
    """After a commit the results below it are forgotten, those from it on are kept."""
    store = make_store()
    await store.open()
    effects = {3: [*opening(1, A), join(2)]}
    await store.apply(1, effects)
    await store.pin(1, -1, 1, 2, b"blob")
    await store.trim(1, 2)

    assert [("s", 2)] == list(await store.apply(1, effects))
    assert [PinnedBlock(1, 2, b"blob")] == (await store.load_pins(1)).blocks
    await store.trim(1, 3)
    assert (2, []) == await store.load_pins(1)
    await store.close()


async def test_first_pin_wins(make_store):
    """Whoever pins an offset first has decided it; the second gets what was pinned."""
    store = make_store()
    await store.open()

    assert await store.pin(1, -1, 5, 9, b"mine") is None
    theirs = await store.pin(1, -1, 9, 12, b"late")
    assert (9, [PinnedBlock(5, 9, b"mine")]) == theirs
    assert await store.pin(1, 9, 10, 12, b"next") is None
    await store.close()


async def test_store_that_went_back_is_noticed(make_store):
    """A fence below what the worker has seen raises, instead of leaving a hole."""
    store = make_store()
    await store.open()
    await store.pin(1, -1, 5, 9, b"mine")

    with pytest.raises(StoreWentBackError, match="read again from offset 10"):
        await store.pin(1, 20, 21, 22, b"next")
    await store.close()


async def test_index_finds_and_forgets(make_store):
    """A word finds the representatives added under it, and none that was removed."""
    store = make_store(ClusterRules(bucket_entries=2))
    await store.open()
    low = 5
    word = (77 << 16) | low
    adds = [IndexAdd(n, 4, word, name) for n, name in ((1, A), (2, B), (3, C), (4, A))]
    await store.apply(1, {low % 16: adds})
    words = np.array([[word, 0], [(78 << 16) | low, word]], np.uint32)
    hits = await store.read_buckets(words, 4)
    await store.apply(1, {low % 16: [IndexRemove(5, 4, low, A)]})
    after = await store.read_buckets(words, 4)

    assert [(0, A), (0, B)] == sorted(zip(hits.rows.tolist(), hits.representatives.tolist(), strict=True))
    assert ([[2, 0], [0, 0]], [[20, 0], [20, 0]]) == (hits.entries.tolist(), hits.bucket_bytes.tolist())
    assert [B] == after.representatives.tolist()
    await store.close()


async def test_representatives_replace_each_other(make_store):
    """A new representative is stored and listed; one that gives way is gone."""
    store = make_store()
    await store.open()
    one, two = make_id(4, 1, 3), make_id(6, 1, 3)
    effects = [
        *opening(1, A),
        join(4),
        Represent(4, AT, "s", A, one, SKETCH, TEXT, b"u4"),
        join(5, hit=one),
        join(6),
        Represent(6, AT, "s", A, two, SKETCH, TEXT, b"u6", one),
    ]
    await store.apply(1, {3: effects[:5]})

    assert {one: 1} == (await store.read_heads("s", [A]))[0].further
    await store.apply(1, {3: effects})
    assert {two: 0} == (await store.read_heads("s", [A]))[0].further
    stored = await store.read_representatives([A, one, two])
    assert [b"https://p.example/", None, b"u6"] == [record and record.url for record in stored]
    await store.close()


async def test_use_moves_the_clock(make_store):
    """A clock is the greatest page time applied; a use sets an entry to it, not to the page's time."""
    store = make_store()
    await store.open()
    await store.apply(
        1, {3: [*opening(1, A, AT), join(2, A, AT - 500), Touch(3, AT + 60, "s", A), join(4, A, AT)]}
    )

    assert AT + 60 == (await store.read_clocks())[3]
    assert (AT, AT + 60) == ((await one_cluster(store, A)).born, (await one_cluster(store, A)).last)
    await store.close()


async def test_domain_remembers_its_cluster(make_store):
    """A domain's record names its latest cluster, adds sums up, and starts anew after its life time."""
    store = make_store(ClusterRules(domain_lifetime_seconds=100))
    await store.open()
    domain = 0xABCDEF0123456783
    notes = [NoteDomain(1, AT, domain, A, (1, 2, 3, 4)), NoteDomain(2, AT + 5, domain, B, (1, 0, 0, 0))]
    await store.apply(1, {3: notes})
    [record] = await store.read_domains([domain])
    await store.apply(1, {3: [NoteDomain(3, AT + 500, 3, A), NoteDomain(4, AT + 501, domain, C)]})
    [later] = await store.read_domains([domain])

    assert (B, 2, (2, 2, 3, 4), AT, AT + 5) == (
        record.latest,
        record.pages,
        record.sums,
        record.first,
        record.last,
    )
    assert (C, 1, AT + 501) == (later.latest, later.pages, later.first)
    await store.close()


async def test_class_changes_are_shown(make_store):
    """The join that settles the class says so, with the URL of the prototype."""
    store = make_store(limits=ClassLimits(pages=5))
    await store.open()
    results = await store.apply(1, {3: [*opening(1, A), *(join(n) for n in range(2, 7))]})

    assert (UNSETTLED, TEMPLATE, b"https://p.example/") == (
        results["s", 5].class_before, results["s", 5].class_after, results["s", 5].prototype
    )  # fmt: skip
    assert b"" == results["s", 6].prototype
    await store.close()


async def test_merge_moves_counts_once(make_store):
    """Folding moves pages, domains and samples to the survivor, once, however often it is repeated."""
    store = make_store()
    await store.open()
    await store.apply(1, {3: [*opening(1, A)], 5: [*opening(2, B, domain=2), join(3, B, domain=3)]})
    linked = await store.link(1, 9, "s", B, A)
    assert linked == await store.link(1, 9, "s", B, A)
    drained = await store.drain("s", B)
    assert drained == await store.drain("s", B)
    taken = await store.take("s", B, drained, (1, 9))
    assert taken == await store.take("s", B, drained, (1, 9))
    await store.acknowledge("s", B, drained.sequence)
    empty = await store.drain("s", B)

    assert (A, 2, 2) == (linked.into, linked.pages, linked.domains)
    assert (3, 3, b"https://p.example/") == (taken.pages, taken.domains, taken.prototype)
    assert (A, b"") == (empty.into, empty.payload)
    assert taken == await store.take("s", B, empty, (1, 9))
    assert 3 == (await one_cluster(store, A)).pages
    assert (0, A) == ((await one_cluster(store, B)).pages, (await one_cluster(store, B)).into)
    assert await store.drain("s", A) is None
    await store.close()


async def test_late_joins_are_drained(make_store):
    """A page that joins an id already merged says so, also when repeated, and its count can follow."""
    store = make_store()
    await store.open()
    await store.apply(1, {3: opening(1, A), 5: opening(2, B)})
    await store.link(1, 3, "s", B, A)
    drained = await store.drain("s", B)
    await store.take("s", B, drained)
    await store.acknowledge("s", B, drained.sequence)
    late = {5: [join(4, B)]}
    first = await store.apply(2, late)

    assert A == first["s", 4].into
    assert first == await store.apply(2, late)
    more = await store.drain("s", B)
    assert more.sequence > drained.sequence
    assert 3 == (await store.take("s", B, more)).pages
    await store.close()


async def test_many_domains_survive_a_merge(make_store):
    """Two large sets of domains are counted together, shared ones once."""
    store = make_store()
    await store.open()
    one = [join(n, A, domain=n * 2_654_435_761) for n in range(10, 110)]
    two = [join(n, B, domain=n * 2_654_435_761) for n in range(60, 160)]
    await store.apply(1, {3: [*opening(1, A), *one], 5: [*opening(2, B), *two]})
    await store.link(1, 200, "s", B, A)
    taken = await store.take("s", B, await store.drain("s", B))

    assert 146 <= taken.domains <= 156
    assert 202 == taken.pages
    await store.close()


async def test_dead_clusters_are_buried(make_store):
    """Past its life time a cluster is found, unindexed, removed, and noted for its event."""
    store = make_store(ClusterRules(lifetime_seconds=1000, domain_lifetime_seconds=1000))
    await store.open()
    low = int(np.frombuffer(SKETCH, ">u2")[PROBE_SLOTS][0])
    word = (9 << 16) | low
    await store.apply(1, {3: [*opening(1, A), NoteDomain(1, AT, 3, A)]})
    await store.apply(1, {low % 16: [IndexAdd(2, 0, word, A)]})
    await store.apply(1, {3: [*opening(3, C, AT + 500)]})
    assert [] == await store.find_dead(3, 10)
    await store.apply(1, {3: [join(4, C, AT + 9000)]})
    [dead] = await store.find_dead(3, 10)
    assert ("s", A, [(A, SKETCH)]) == (dead.space, dead.cluster, dead.representatives)
    await store.unindex(dead.representatives)

    assert 1 == await store.bury(3, [("s", A), ("s", C)])
    assert 0 == await store.bury(3, [("s", A)])
    assert [] == await store.find_dead(3, 10)
    assert [None, None] == [await one_cluster(store, A), (await store.read_representatives([A]))[0]]
    assert [None] == await store.read_domains([3])
    assert [] == (await store.read_buckets(np.array([[word]], np.uint32), 0)).rows.tolist()
    [expired] = await store.read_expired(3, 10)
    assert (A, AT + 1000, 1, b"https://p.example/") == (
        expired.cluster, expired.due, expired.record.pages, expired.prototype
    )  # fmt: skip
    await store.forget_expired(3, 1)
    assert [] == await store.read_expired(3, 10)
    await store.close()


async def test_clusters_are_listed(make_store):
    """A report sees every cluster of a space."""
    store = make_store()
    await store.open()
    await store.apply(1, {3: opening(1, A), 5: opening(2, B)})

    assert {A, B} == {cluster async for cluster, _ in store.list_clusters("s")}
    assert [] == [cluster async for cluster, _ in store.list_clusters("t")]
    await store.close()
