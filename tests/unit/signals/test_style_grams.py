"""Exact measures, and how well a sketch estimates them."""

import gzip
import random

import numpy as np
import pytest

from hss_stream.signals.page_scan import scan_page
from hss_stream.signals.style_grams import exact_dice, exact_jaccard, noise_grams, style_grams, style_noise
from hss_stream.signals.style_sketch import SLOTS, StyleSketcher
from tests.oracles.style import slow_collapse, slow_grams, slow_noise

PAGE = b"".join(b"<div id='%d%s'>%d</div>" % (n, b"-:;."[n * n % 4 :], n) for n in range(900))


def test_grams_equal_their_definition():
    """The full gram set is the one a sketch samples from."""
    noise = slow_collapse(slow_noise(PAGE))[:700]

    assert sorted(slow_grams(noise)) == noise_grams(noise).tolist()


@pytest.mark.parametrize("body", [PAGE, gzip.compress(PAGE), PAGE.decode().encode("utf-16")])
def test_noise_is_the_sketched_noise(body):
    """The noise of both formats is what the sketches count."""
    scan = scan_page(body)

    assert scan.style.noise_bytes == len(style_noise(body))
    assert scan.paper_style.noise_bytes == len(style_noise(body, number=1))
    assert set(scan.style.values.tolist()) & {2**64 - 1} == set() or scan.style.slots_filled < SLOTS


def test_measures_follow_the_sets():
    """Jaccard is shared by all, Dice twice shared by both; of nothing both are 0."""
    one, other = np.array([1, 2, 3], np.uint64), np.array([2, 3, 4, 5], np.uint64)
    none = np.zeros(0, np.uint64)

    assert 2 / 5 == exact_jaccard(one, other)
    assert 4 / 7 == exact_dice(one, other)
    assert (0.0, 0.0) == (exact_jaccard(none, none), exact_dice(none, none))
    assert 1.0 == exact_jaccard(style_grams(PAGE), style_grams(PAGE))


def test_estimate_errs_as_predicted():
    """The root mean square error against exact Jaccard is what 128 slots predict (figure 1)."""
    chance = random.Random(5)
    blocks = [bytes(chance.choices(b"<>/=\"'!?.,;: \n", k=300)) for _ in range(40)]
    sketcher = StyleSketcher()
    squares, predicted = [], []
    for _ in range(300):
        shared = chance.sample(blocks, chance.randrange(1, 20))
        pages = [b"".join(chance.sample([*shared, *chance.sample(blocks, 8)], len(shared) + 8)) for _ in "ab"]
        exact = exact_jaccard(*(noise_grams(page) for page in pages))
        sketches = []
        for page in pages:
            sketcher.update(page)
            sketches.append(sketcher.finish().values)
        estimate = np.count_nonzero(sketches[0] == sketches[1]) / SLOTS
        squares.append((estimate - exact) ** 2)
        predicted.append(exact * (1 - exact) / SLOTS)

    assert np.mean(squares) < 1.3 * np.mean(predicted)
