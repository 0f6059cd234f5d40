"""Batch clusters and pair scores equal their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hss_stream.lab.pair_scores import f_measure, pair_precision, pair_recall
from hss_stream.lab.ranking import area_under_curve
from hss_stream.lab.style_clusters import cluster_styles
from hss_stream.signals.probes import draw_probes
from tests.oracles.slow_clusters import slow_clusters, slow_pair_scores

SLOTS = 8
pages = st.lists(st.lists(st.integers(0, 3), min_size=SLOTS, max_size=SLOTS), min_size=1, max_size=14)
labels = st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=1, max_size=20)


@given(pages, st.integers(1, SLOTS))
def test_full_probing_finds_all_components(rows, threshold):
    """With every slot probed, clusters are the components of the graph of all similar pairs."""
    found = cluster_styles(np.array(rows, np.uint16), 0, threshold=threshold, probes=SLOTS)

    assert slow_clusters(rows, 0, threshold) == found.tolist()


@given(pages, st.integers(1, 3))
def test_probes_of_several_slots_join_what_agrees_there(rows, size):
    """A k-subset joins only pages that agree on all its slots, and misses none of those."""
    probe = draw_probes(1, size=size, slots=SLOTS)[0].tolist()
    keys = [tuple(row[slot] for slot in probe) for row in rows]
    expected = [keys.index(key) if all(key) else place for place, key in enumerate(keys)]
    found = cluster_styles(np.array(rows, np.uint16), 0, threshold=size, probes=1, size=size)

    assert expected == found.tolist()


@given(labels)
def test_pair_scores_equal_counting(rows):
    """Precision and recall over pairs equal what counting every pair gives."""
    clusters, coarse, fine = zip(*rows, strict=True)
    precision, recall = slow_pair_scores(clusters, coarse, fine)

    assert (pytest.approx(precision), pytest.approx(recall)) == (
        pair_precision(clusters, coarse),
        pair_recall(clusters, fine),
    )


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30))
def test_area_equals_counting(rows):
    """The area under the curve is the share of positive-negative pairs in the right order, ties half."""
    positives = [score for score, is_positive in rows if is_positive]
    negatives = [score for score, is_positive in rows if not is_positive]
    wins = [(p > n) + 0.5 * (p == n) for p in positives for n in negatives]
    scores, flags = (np.array(column) for column in zip(*rows, strict=True))
    area = area_under_curve(scores.astype(float), flags.astype(bool))

    assert (pytest.approx(sum(wins) / len(wins)) if wins else None) == area


def test_f_needs_both():
    """F is the harmonic mean, unknown when a part is unknown."""
    assert (None, 0.0, 0.5) == (f_measure(None, 1.0), f_measure(0.0, 0.0), f_measure(0.5, 0.5))
