"""When a provider is spam, watched or clean."""

from dataclasses import dataclass

import pytest

from hss_stream.verdicts.nameserver import (
    PAPER,
    OtherEvidence,
    average_radius,
    is_spam_cluster,
    is_spam_site,
    judge_provider,
)
from hss_stream.verdicts.provider_reasons import provider_reasons, sum_provider


@dataclass(frozen=True)
class Cluster:
    """A cluster as the verdict sees it."""

    size: int
    mean_distance: float = 0.02
    mean_uncontained: float = 0.01
    radius: float = 0.1


MIXED = {"mean_distance": 0.6, "mean_uncontained": 0.5, "radius": 0.8}


def test_parked_pages_are_spam():
    """A provider whose sites are all alike is listed."""
    verdict = judge_provider([Cluster(60), Cluster(40)])

    assert ("spam", 100, 1.0) == (verdict.state, verdict.spam_sites, verdict.spam_share)


def test_threshold_follows_the_evidence():
    """Templates of varying length are far apart in D yet contained in each other; themes are not."""
    assert is_spam_cluster(Cluster(50, mean_distance=0.45, mean_uncontained=0.2))
    assert not is_spam_cluster(Cluster(50, mean_distance=0.45, mean_uncontained=0.4))
    assert not is_spam_cluster(Cluster(50, mean_distance=0.6, mean_uncontained=0.1))


def test_singletons_prove_nothing():
    """Tiny clusters count neither for nor against; to the letter of the paper a singleton is spam."""
    alone = Cluster(1, 0.0, 0.0, 0.0)

    assert not is_spam_cluster(alone)
    assert is_spam_cluster(alone, PAPER)
    assert "clean" == judge_provider([alone] * 60).state
    assert "spam" == judge_provider([Cluster(50), *[alone] * 15]).state


def test_few_sites_are_too_few():
    """Under three times k sites nothing is said."""
    assert "too_few" == judge_provider([Cluster(47)]).state


def test_shared_hosters_are_guarded():
    """Where only some clusters are spam, the provider is watched and those sites are flagged."""
    verdict = judge_provider([Cluster(40), Cluster(60, **MIXED)])

    assert "watch" == verdict.state
    assert is_spam_site(verdict, 0, 0.1)
    assert not is_spam_site(verdict, 0, 0.9)
    assert not is_spam_site(verdict, 1, 0.1)


def test_listing_has_hysteresis():
    """A listed provider stays listed at a share at which an unlisted one would only be watched."""
    clusters = [Cluster(60), Cluster(40, **MIXED)]

    assert "watch" == judge_provider(clusters).state
    assert "spam" == judge_provider(clusters, previous="spam").state


@pytest.mark.parametrize(("size", "rest", "because"), [(500, 200, "share"), (60, 10, "too_few")])
def test_counterfactual_is_smallest(size, rest, because):
    """Without so many sites the provider would not be listed, and with one fewer gone it still would be."""
    clusters = [Cluster(size), Cluster(rest, **MIXED)]
    needed = judge_provider(clusters).counterfactual

    assert because == needed.because
    for gone, state in [(needed.sites, False), (needed.sites - 1, True)]:
        after = judge_provider([Cluster(size - gone), clusters[1]], previous="spam")
        assert state == (after.state == "spam")


def test_labels_and_text_decide_over_structure():
    """An editor's label wins; natural text without link farms keeps a host of one theme off the list."""
    clusters = [Cluster(100, mean_distance=0.4, mean_uncontained=0.3)]

    for other, state, decided_by in [
        (OtherEvidence(label="ham"), "clean", "label"),
        (OtherEvidence(natural_share=0.95), "watch", "natural_text"),
        (OtherEvidence(natural_share=0.95, farm_share=0.5), "spam", "structure"),
        (OtherEvidence(natural_share=0.3), "spam", "structure"),
    ]:
        verdict = judge_provider(clusters, other=other)
        assert (state, decided_by) == (verdict.state, verdict.decided_by)
    assert "spam" == judge_provider([Cluster(5)], other=OtherEvidence(label="spam")).state
    assert "spam" == judge_provider([Cluster(100)], other=OtherEvidence(natural_share=1.0)).state


def test_text_and_links_list_the_watched():
    """Where structure only watches, fake text or link farms list, and say that they did."""
    clusters = [Cluster(40), Cluster(60, **MIXED)]

    for other, decided_by in [
        (OtherEvidence(fake_share=0.6), "fake_text"),
        (OtherEvidence(farm_share=0.6), "link_farm"),
    ]:
        verdict = judge_provider(clusters, other=other)
        assert ("spam", decided_by) == (verdict.state, verdict.decided_by)


def test_large_hosters_are_never_listed():
    """With many different sites a provider is a shared hoster, however many generated ones it has."""
    verdict = judge_provider([Cluster(900), Cluster(20, **MIXED)], different=150)

    assert ("watch", "shared_hoster") == (verdict.state, verdict.decided_by)


@pytest.mark.parametrize(
    ("other", "different", "score"),
    [
        (OtherEvidence(), 0, 6.0),
        (OtherEvidence(label="spam"), 0, 6.0),
        (OtherEvidence(label="ham"), 0, 0.0),
        (OtherEvidence(), 500, 3.0),
        (OtherEvidence(natural_share=1.0), 0, 3.0),
    ],
)
def test_reasons_sum_up_to_the_state(other, different, score):
    """The sum of the reasons says what the state says."""
    clusters = [Cluster(60, mean_distance=0.4, mean_uncontained=0.3), Cluster(40)]
    verdict = judge_provider(clusters, other=other, different=different)
    summed = sum_provider(provider_reasons(verdict, other, [60, 40], 1))

    assert score == summed.score
    assert {"spam": "spam", "watch": "suspect", "clean": "ham"}[verdict.state] == summed.verdict


def test_average_radius_is_divided():
    """The average radius is a mean over the sites, in [0, 1]; the paper's sum lacks its division."""
    assert pytest.approx(0.25) == average_radius([Cluster(10, radius=0.1), Cluster(10, radius=0.4)])
    assert 0.0 == average_radius([])


def test_paper_goes_by_majority():
    """To the letter: mean distance below 0.25 and a majority of the sites."""
    clusters = [Cluster(6, mean_distance=0.2), Cluster(4, **MIXED)]

    assert "spam" == judge_provider(clusters, rules=PAPER).state
    assert "clean" == judge_provider([Cluster(4), Cluster(6, **MIXED)], rules=PAPER).state
