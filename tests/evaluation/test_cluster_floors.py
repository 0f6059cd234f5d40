"""What placing pages online reaches: on a generated crawl always, on real pages where they are there."""

from collections import Counter

import pytest

from hss_stream.store.memory import MemoryClusterStore
from hss_stream.verdicts.cluster_rules import ClusterRules
from hss_stream.verdicts.style_match import sketch_rows
from tests.evaluation.cluster_classes import class_table, macro_f
from tests.evaluation.online_clusters import (
    agreement,
    concurrent,
    final_clusters,
    place_all,
    scan_corpus,
    strangers,
)
from tests.oracles.batch_clusters import batch_clusters


async def test_classes_of_clusters():
    """The five classes are told apart on templates that the limits were not chosen on."""
    table = await class_table("report", 1, 1200)

    assert {truth for truth, _ in table} == {"unsettled", "template", "link_farm", "mirror", "copy_paste"}
    assert macro_f(table) >= 0.85


@pytest.fixture(scope="session")
def documentation(evaluation_data):
    """Return the scanned pages of the documentation corpus."""
    return scan_corpus(evaluation_data / "pages-debian-docs")


async def test_online_agrees_with_batch(documentation):
    """A shuffled corpus ends in the clusters of Procedure 2: .98 with the default cap, .99 without one."""
    batch = batch_clusters(sketch_rows(b"".join(page.sketched.sketch for page in documentation)))
    default = await agreement(documentation, ClusterRules().representatives, 1, batch)
    free = await agreement(documentation, 0, 1, batch)

    assert default["mean_index"] >= 0.98
    assert free["mean_index"] >= 0.985
    assert free["representatives_per_page"] <= 0.3


async def test_three_workers_agree_with_one(documentation):
    """Three workers at once find the clusters of one, and every page is counted once."""
    index, counted = await concurrent(documentation, 3)

    assert index >= 0.97
    assert len(documentation) == counted


async def test_strangers_stay_out(documentation, evaluation_data):
    """At most 0.2 % of other pages join clusters of documentation."""
    others = scan_corpus(evaluation_data / "pages-web")

    assert await strangers(documentation, others) <= 0.002 * len(others)


async def test_doorways_are_one_cluster(evaluation_data):
    """The 1,000 pages of one generator end in one cluster, their table of contents in another."""
    pages = scan_corpus(evaluation_data / "pages-doorway")
    store = MemoryClusterStore()
    sizes = Counter(await final_clusters(store, await place_all(store, pages)))

    assert [1000, 1] == [size for _, size in sizes.most_common()]
