"""On real pages too, D is the quadratic definition, and R ≤ F ≤ D."""

import random

import pytest

from hss_stream.lab.structure_evaluation import read_structures
from hss_stream.signals.tag_structure import length_distance, rough_distance, tag_distance
from hss_stream.sources.records import open_source
from tests.oracles.slow_structure import slow_tag_distance

PAIRS = 60
# So many cells of the matrix take the twin a few seconds in all.
MOST_CELLS = 150_000


@pytest.mark.parametrize("corpus", ["pages-debian-docs", "pages-web", "pages-doorway"])
def test_real_sequences_equal_the_definition(evaluation_data, corpus):
    """D of real tag sequences, cut where the twin would take too long, is what filling the matrix gives."""
    structures = read_structures(open_source(evaluation_data / corpus))[1]
    chance = random.Random(5)
    compared = 0
    while compared < PAIRS:
        one, other = chance.sample(structures, 2)
        rough, by_length, exact = (f(one, other) for f in (rough_distance, length_distance, tag_distance))

        assert 0 <= rough <= by_length <= exact <= 1
        if len(one) * len(other) <= MOST_CELLS:
            assert pytest.approx(slow_tag_distance(one.tags, other.tags)) == exact
            compared += 1
