"""What every store promises about labels: once, bounded, and carried through merges."""

import pytest

from hss_stream.store.effects import MAX_WHO_BYTES, Join, Vote
from hss_stream.verdicts.cluster_id import make_id
from hss_stream.verdicts.cluster_rules import ClusterRules

A, B = make_id(1, 1, 3), make_id(2, 1, 5)
AT = 1_700_000_000
NONE, SPAM, HAM = range(3)
EDITOR, REPORTER = range(2)
LABELS = 9


def joins(offset, cluster, space="s"):
    """Return the effect of a page that opens or joins."""
    return Join(offset, AT, space, cluster, 64, offset, b"https://x.example/%d" % offset)


def says(offset, cluster, label, role=EDITOR, client=1, *, space="s", quorum=3):
    """Return the effect of a label."""
    return Vote(offset, AT, space, cluster, label, role, quorum, client)


async def label_of(store, cluster):
    """Return the label in a cluster's record."""
    [record] = await store.read_clusters("s", [cluster])
    return record.label


@pytest.fixture
async def store(make_store):
    """Return a store with two clusters."""
    store = make_store()
    await store.open()
    await store.apply(1, {3: [joins(1, A)], 5: [joins(2, B)]})
    yield store
    await store.close()


async def test_editor_counts_at_once(store):
    """An editor's word is the label in force, and the answer says what it was before."""
    [shown] = (await store.apply(LABELS, {3: [says(0, A, SPAM)]})).values()

    assert (SPAM, NONE, 1) == (shown.label, shown.label_before, shown.changed)
    assert SPAM == await label_of(store, A)


async def test_labels_happen_once(store):
    """A label delivered again, after others, changes nothing and gets the answer of the first time."""
    first = await store.apply(LABELS, {3: [says(0, A, SPAM)]})
    await store.apply(LABELS, {3: [says(1, A, NONE)]})
    again = await store.apply(LABELS, {3: [says(0, A, SPAM)]})

    assert first == again
    assert NONE == await label_of(store, A)


async def test_reporters_need_a_quorum(store):
    """Only distinct clients count, and enough of them label the cluster."""
    await store.apply(LABELS, {3: [says(n, A, SPAM, REPORTER, 7) for n in range(50)]})
    before = await label_of(store, A)
    await store.apply(LABELS, {3: [says(50 + n, A, SPAM, REPORTER, n) for n in range(2)]})

    assert NONE == before
    assert SPAM == await label_of(store, A)


async def test_ham_stands_against_spam(store):
    """An editor's spam does not replace an editor's ham; `none` in between does."""
    await store.apply(LABELS, {3: [says(0, A, HAM), says(1, A, SPAM)]})
    kept = await label_of(store, A)
    await store.apply(LABELS, {3: [says(2, A, NONE), says(3, A, SPAM)]})

    assert HAM == kept
    assert SPAM == await label_of(store, A)


async def test_unknown_cluster_gets_no_label(store):
    """A label for an id nobody opened leaves no trace and has no answer."""
    unknown = make_id(99, 1, 3)

    assert {} == await store.apply(LABELS, {3: [says(0, unknown, SPAM)]})
    assert [None] == await store.read_clusters("s", [unknown])


@pytest.mark.parametrize(
    ("first", "second", "expected"), [(SPAM, NONE, SPAM), (SPAM, HAM, HAM), (HAM, SPAM, HAM)]
)
async def test_labels_survive_merges(store, first, second, expected):
    """Of two clusters that become one the stronger word stays: ham over spam over none."""
    effects = {3: [says(0, A, first)], 5: [says(1, B, second)]}
    await store.apply(LABELS, effects)
    await store.link(1, 3, "s", B, A)
    drained = await store.drain("s", B)
    shown = await store.take("s", B, drained, (1, 3))
    await store.acknowledge("s", B, drained.sequence)

    assert (expected, first) == (shown.label, shown.label_before)
    assert expected == await label_of(store, A)
    assert shown == await store.take("s", B, drained, (1, 3))


async def test_late_label_reaches_the_survivor(store):
    """A label that lands on a cluster folded meanwhile is drained to its survivor like late pages."""
    await store.link(1, 3, "s", B, A)
    drained = await store.drain("s", B)
    await store.take("s", B, drained)
    await store.acknowledge("s", B, drained.sequence)
    await store.apply(LABELS, {5: [says(0, B, SPAM)]})
    late = await store.drain("s", B)
    await store.take("s", B, late)

    assert late.payload
    assert SPAM == await label_of(store, A)


async def test_quorum_adds_up_over_merges(store):
    """Reporters of two clusters that become one count together, each client once."""
    await store.apply(LABELS, {3: [says(n, A, SPAM, REPORTER, n) for n in range(2)]})
    await store.apply(LABELS, {5: [says(10 + n, B, SPAM, REPORTER, n + 1) for n in range(2)]})
    await store.link(1, 3, "s", B, A)
    drained = await store.drain("s", B)
    await store.take("s", B, drained)

    assert SPAM == await label_of(store, A)


async def test_million_labels_stay_small(store):
    """However many clients speak about one cluster, a fixed number is remembered, the same in every store."""
    for start in range(0, 3000, 500):
        some = range(start, start + 500)
        await store.apply(LABELS, {3: [says(n, A, HAM, REPORTER, n * 2_654_435_761 % 2**63) for n in some]})
    await store.apply(LABELS, {3: [says(3000, A, SPAM, REPORTER, 2**62)]})
    [record] = await store.read_clusters("s", [A])

    assert HAM == record.label


async def test_history_tells_who_said_what(store):
    """A cluster remembers words that changed something or contradicted, with who and when; others not."""
    words = [
        Vote(0, AT, "s", A, SPAM, REPORTER, 3, 7, b"gateway-1"),
        Vote(1, AT + 1, "s", A, SPAM, REPORTER, 3, 7, b"gateway-1"),
        Vote(2, AT + 2, "s", A, HAM, EDITOR, 3, 8, "jürgen".encode()),
        Vote(3, AT + 3, "s", A, SPAM, EDITOR, 3, 9, b"x" * 300),
    ]
    await store.apply(LABELS, {3: words})
    await store.apply(LABELS, {3: words})
    history = await store.read_history("s", A)

    assert [
        (AT, SPAM, REPORTER, NONE, NONE, b"gateway-1"),
        (AT + 2, HAM, EDITOR, NONE, HAM, "jürgen".encode()),
        (AT + 3, SPAM, EDITOR, HAM, HAM, b"x" * MAX_WHO_BYTES),
    ] == history.said
    assert [] == history.merged


async def test_history_is_bounded_and_ends_with_its_cluster(make_store):
    """The last sixteen words stay; they are forgotten when the cluster is buried."""
    store = make_store(ClusterRules(lifetime_seconds=10))
    await store.open()
    await store.apply(1, {3: [joins(1, A)]})
    await store.apply(LABELS, {3: [says(n, A, 1 + n % 2, REPORTER, 5) for n in range(50)]})
    words = [one.label for one in (await store.read_history("s", A)).said]
    await store.apply(1, {3: [Join(9, AT + 9999, "s", make_id(9, 1, 3), 64, 1, b"u")]})
    await store.bury(3, [("s", A)])
    after = await store.read_history("s", A)
    await store.close()

    assert [1, 2] * 8 == words
    assert ([], []) == after


async def test_history_names_merged_clusters(store):
    """A survivor knows whom it took over."""
    await store.link(1, 3, "s", B, A)
    drained = await store.drain("s", B)
    await store.take("s", B, drained)

    assert [B] == (await store.read_history("s", A)).merged
