"""What the default rules say about cases a person would call clear."""

import pytest

from hss_stream.verdicts.alert import AlertRules, is_page_alert_due, judge_cluster, judge_page, severity_of
from hss_stream.verdicts.evidence import FakeText, Host, PageEvidence, StyleCluster
from hss_stream.verdicts.fake_sums import FakeSums

RULES = AlertRules()


def make_cluster(**changes):
    """Return a large style cluster."""
    fields = {
        "cluster": "s0000000000000001",
        "pages": 900,
        "domains": 300,
        "mean_similarity": 0.5,
        "kind": "template",
    }
    return StyleCluster(**(fields | changes))


@pytest.mark.parametrize("kind", ["template", "mirror", "copy_paste", "unsettled"])
def test_popular_theme_is_unknown(kind):
    """A theme, listing, mirror or pasted fragment on 300 domains is nothing to report."""
    verdict = judge_cluster(make_cluster(kind=kind, alike_parts=9, all_parts=9), RULES)

    assert "unknown" == verdict.verdict


def test_dense_farm_is_spam():
    """Three hundred domains of one template that link to each other are spam without any label."""
    farm = make_cluster(kind="link_farm", inward_links=800, known_links=1000)
    verdict = judge_cluster(farm, RULES)

    assert "spam" == verdict.verdict
    assert {"LINK_FARM", "MANY_DOMAINS"} == {reason.name for reason in verdict.reasons}
    assert "critical" == severity_of("cluster", verdict)


def test_blogroll_is_no_farm():
    """A theme whose users link to each other now and then stays below suspect."""
    ring = make_cluster(kind="link_farm", inward_links=350, known_links=1000)

    assert "unknown" == judge_cluster(ring, RULES).verdict


def test_fake_text_needs_another_witness():
    """Fake text is suspect, also when host and page both show it; with a farm's links behind it, spam."""
    fake = FakeText("fake", 500, 0.9, ("of the of the",))
    host = Host("a.example", FakeSums(4, 2000, 8000))
    alone = judge_page(PageEvidence(Host("a.example"), fake=fake), RULES)
    twice = judge_page(PageEvidence(host, fake=fake), RULES)
    farm = make_cluster(kind="link_farm", inward_links=800, known_links=1000)
    backed = judge_page(PageEvidence(host, style=farm, fake=fake), RULES)

    assert ("suspect", "info") == (alone.verdict, severity_of("page", alone))
    assert twice.verdict == "suspect"
    assert backed.verdict == "spam"
    assert is_page_alert_due(alone)


def test_reasons_show_their_facts():
    """A verdict names cluster, similarity and the worst words, ready for JSON."""
    farm = make_cluster(kind="link_farm", inward_links=800, known_links=1000)
    page = PageEvidence(Host("a.example"), farm, 64, fake=FakeText("fake", 500, 0.9, ("of the of the",)))
    shown = judge_page(page, RULES).to_json()

    assert {"cluster": "s0000000000000001", "inward_links": 0.8} == shown["reasons"][0]["facts"]
    assert "of the of the" == shown["reasons"][1]["facts"]["worst"]
