"""M-FPF finds what plain furthest-point-first finds, with fewer distances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hss_stream.signals.k_center import cluster_k_center, cluster_shapes, uncontained
from hss_stream.signals.tag_structure import StructureTable, cascade_distance, tag_distance, tag_structure
from tests.oracles.slow_k_center import slow_k_center

pages = st.lists(st.lists(st.integers(0, 4), max_size=25), min_size=1, max_size=18)


def structures(rows):
    """Return structures of tag numbers; a tag's number is also the bin of its length."""
    return [
        tag_structure(np.array(row, np.uint16), np.bincount(np.array(row, np.int64), minlength=11))
        for row in rows
    ]


@settings(max_examples=80)
@given(pages, st.integers(1, 8))
def test_lossless_equals_plain_fpf(rows, clusters):
    """Centres and distances are those of plain FPF on exact D, although far pairs are never aligned."""
    sites = structures(rows)
    centers, nearest = slow_k_center(sites, clusters, tag_distance)
    found = cluster_k_center(StructureTable(sites), clusters=clusters)

    assert centers == list(found.centers)
    assert nearest == found.distances.tolist()
    assert [
        tag_distance(site, sites[found.centers[owner]])
        for site, owner in zip(sites, found.clusters, strict=True)
    ] == nearest


@settings(max_examples=80)
@given(pages, st.floats(0, 1))
def test_paper_distances_are_its_cascade(rows, threshold):
    """Every distance the paper's variant reports is the cascade's value for that page and its centre."""
    sites = structures(rows)
    found = cluster_k_center(StructureTable(sites), threshold=threshold, lossless=False)

    for site, owner, distance in zip(sites, found.clusters, found.distances, strict=True):
        center = sites[found.centers[owner]]
        assert distance == (0.0 if site is center else cascade_distance(center, site, threshold).value)


@settings(max_examples=50)
@given(pages)
def test_shapes_describe_the_clusters(rows):
    """Sizes sum to the pages, the radius bounds the mean, and C is what the shorter page leaves unmatched."""
    sites = structures(rows)
    table = StructureTable(sites)
    found = cluster_k_center(table, clusters=4)
    shapes = cluster_shapes(table, found)

    assert len(rows) == sum(shape.size for shape in shapes)
    assert all(0 <= shape.mean_distance <= shape.radius <= 1 for shape in shapes)
    for site, owner, outside in zip(sites, found.clusters, uncontained(table, found), strict=True):
        center = sites[found.centers[owner]]
        longer, shorter = max(len(site), len(center)), min(len(site), len(center))
        if shorter:
            expected = 1 - (1 - tag_distance(site, center)) * longer / shorter
            assert pytest.approx(expected, abs=1e-9) == outside


def test_far_pages_are_not_aligned():
    """Calls are counted by the last function needed; R alone settles pages of very different length."""
    sites = structures([[1] * 10, [1] * 1000, [1] * 11])
    calls = cluster_k_center(StructureTable(sites), lossless=False).calls

    assert calls["R"] > 0
    assert calls.total() == sum(calls.values())


def test_no_pages_have_no_clusters():
    """A provider without pages has no centres."""
    assert () == cluster_k_center(StructureTable([])).centers
