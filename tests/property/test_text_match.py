"""Any of the 11 coordinates finds the cluster, and several hits resolve by one rule."""

from hypothesis import given
from hypothesis import strategies as st

from hss_stream.verdicts.text_match import COORDINATES, TextRules, place_text
from tests.oracles.slow_text_match import slow_candidates

RULES = TextRules()
signatures = st.lists(st.sampled_from([0, 11, 12, 13]), min_size=COORDINATES, max_size=COORDINATES)
found = st.lists(st.sampled_from([None, 1, 2, 3]), min_size=COORDINATES, max_size=COORDINATES)


@given(signatures, found)
def test_placement_follows_the_coordinates(signature, hits):
    """A document joins a cluster exactly when a computed coordinate leads to one."""
    placement = place_text(signature, hits, RULES)
    candidates = slow_candidates(signature, hits)

    if not any(signature):
        assert placement is None
    elif not candidates:
        assert placement.cluster is None
        assert placement.of == sum(map(bool, signature))
    else:
        most = max(map(len, candidates.values()))

        assert placement.matching == most
        assert placement.cluster in candidates


@given(signatures, found)
def test_weak_hits_never_merge(signature, hits):
    """Clusters become one only where the document supports each with the coordinates the rule asks for."""
    placement = place_text(signature, hits, RULES)
    candidates = slow_candidates(signature, hits)

    for merged in placement.merges if placement else ():
        assert placement.cluster < merged
        assert len(candidates[merged]) >= RULES.merge_coordinates
        assert len(candidates[placement.cluster]) >= RULES.merge_coordinates


@given(found)
def test_null_signatures_match_nothing(hits):
    """A document without a single signature has no cluster, whatever was found under zero."""
    assert place_text([0] * COORDINATES, hits, RULES) is None


def test_one_coordinate_is_enough():
    """A single equal coordinate of eleven joins the cluster."""
    placement = place_text([5] * COORDINATES, [None] * 10 + [7], RULES)

    assert (7, 1, COORDINATES) == (placement.cluster, placement.matching, placement.of)
