"""Verdicts: additive, explained, and never against what is merely popular."""

import dataclasses
import itertools

from hypothesis import given
from hypothesis import strategies as st

from hss_stream.verdicts.alert import (
    AlertRules,
    is_change_alert_due,
    judge_cluster,
    judge_host,
    judge_mail,
    judge_page,
    judge_text_cluster,
)
from hss_stream.verdicts.evidence import FakeText, Host, MailEvidence, PageEvidence, StyleCluster, TextCluster
from hss_stream.verdicts.fake_sums import MAX_SUM, FakeSums, page_sums
from hss_stream.verdicts.reason import CLEARING

RULES = AlertRules()
counts = st.integers(0, 10**7)
labels = st.sampled_from(["none", "spam", "ham"])
sums = st.builds(
    lambda fake, tokens, share: FakeSums(fake, tokens, int(tokens * share)),
    st.integers(0, 10**5),
    counts,
    st.floats(0, 1),
)
styles = st.builds(
    StyleCluster,
    cluster=st.just("s0000000000000001"),
    pages=counts,
    domains=counts,
    mean_similarity=st.floats(0, 1),
    kind=st.sampled_from(["template", "link_farm", "mirror", "copy_paste", "unsettled"]),
    label=labels,
    inward_links=counts,
    known_links=counts,
    alike_parts=counts,
    all_parts=counts,
    fake=sums,
    allow_listed=st.booleans(),
)
texts = st.builds(
    TextCluster, cluster=st.just("t0000000000000001"), pages=counts, domains=counts, label=labels,
    allow_listed=st.booleans(),
)  # fmt: skip
fakes = st.builds(
    FakeText,
    verdict=st.sampled_from(["natural", "fake", "too_short", "unknown_language"]),
    tokens=counts,
    fakeness=st.floats(0, 1),
)
hosts = st.builds(Host, domain=st.just("a.example"), fake=sums, allow_listed=st.booleans())
pages = st.builds(
    PageEvidence,
    host=hosts,
    style=st.none() | styles,
    text=st.none() | texts,
    fake=st.none() | fakes,
    spam_provider=st.none() | st.just("ns.example"),
)
mails = st.builds(
    MailEvidence,
    campaign=st.none() | texts,
    style=st.none() | styles,
    fake=st.none() | fakes,
    spam_links=st.just(()) | st.just(("bad.example",)),
)


@given(pages)
def test_score_is_the_sum(page):
    """The score is the sum of the reasons' weights, and the limits alone decide between the verdicts."""
    verdict = judge_page(page, RULES)

    assert round(sum(reason.weight for reason in verdict.reasons), 2) == verdict.score
    assert (verdict.verdict == "spam") == (verdict.score >= RULES.spam_score)
    assert (verdict.verdict == "suspect") == (RULES.suspect_score <= verdict.score < RULES.spam_score)


@given(pages)
def test_ham_needs_a_word(page):
    """Nothing is called ham without a label or an allow-list."""
    verdict = judge_page(page, RULES)
    cleared = any(reason.name in CLEARING for reason in verdict.reasons)

    assert verdict.verdict != "ham" or cleared


@given(styles, texts, counts)
def test_popular_is_not_spam(style, text, tokens):
    """A template, mirror or copied text without label, farm links or fake text is never even suspect."""
    popular = dataclasses.replace(style, label="none", fake=FakeSums(0, tokens, 0), inward_links=0)
    page = PageEvidence(
        Host("a.example", FakeSums(0, tokens, 0)),
        popular,
        text=dataclasses.replace(text, label="none"),
        fake=FakeText("natural", tokens, 0.0),
    )

    assert judge_page(page, RULES).verdict in {"unknown", "ham"}
    assert judge_cluster(popular, RULES).verdict in {"unknown", "ham"}


@given(pages)
def test_allow_listed_domain_is_ham(page):
    """An operator's allow-list clears a domain whatever else is known."""
    listed = dataclasses.replace(page, host=dataclasses.replace(page.host, allow_listed=True))

    assert judge_page(listed, RULES).verdict == "ham"


@given(pages)
def test_labelled_cluster_is_spam(page):
    """A spam label on the style or text cluster of a page that nobody cleared is enough."""
    host = dataclasses.replace(page.host, allow_listed=False)
    text = TextCluster("t0000000000000001", 5, 2, "spam")

    assert judge_page(dataclasses.replace(page, host=host, text=text), RULES).verdict == "spam"


@given(pages)
def test_ham_label_clears_its_own_evidence_only(page):
    """A theme called ham adds nothing to the score, and takes nothing from a text called spam."""
    style = StyleCluster("s0000000000000001", 10**6, 10**5, 1.0, "link_farm", "ham", 9, 9)
    host = Host("a.example")
    alone = PageEvidence(host, style)
    with_spam_text = PageEvidence(host, style, text=TextCluster("t0000000000000001", 5, 2, "spam"))

    assert judge_page(alone, RULES).verdict == "ham"
    assert judge_page(with_spam_text, RULES).verdict == "spam"
    assert judge_page(dataclasses.replace(page, host=host, style=None), RULES).score == (
        judge_page(dataclasses.replace(page, host=host, style=style), RULES).score
    )


@given(mails)
def test_mail_needs_a_label_or_two_witnesses(mail):
    """No message is spam by fake text, layout or links alone."""
    verdict = judge_mail(mail, RULES)
    heavy = [reason for reason in verdict.reasons if reason.weight > 0]

    assert verdict.verdict != "spam" or len(heavy) >= 2 or heavy[0].name == "IMATCH_SPAM"


@given(texts)
def test_text_cluster_needs_a_label(text):
    """A text seen everywhere is a licence or a newsletter until somebody says otherwise."""
    verdict = judge_text_cluster(dataclasses.replace(text, label="none"), RULES)

    assert verdict.verdict in {"unknown", "ham"}


@given(st.lists(styles, max_size=20))
def test_alerts_only_when_worse(states):
    """Along any history a cluster alerts once for every time it becomes spam, never in between."""
    verdicts = [judge_cluster(state, RULES) for state in states]
    pairs = list(itertools.pairwise(verdicts))
    alerts = [is_change_alert_due("cluster", before, after) for before, after in pairs]

    assert alerts == [before.verdict != "spam" and after.verdict == "spam" for before, after in pairs]


@given(st.lists(sums, max_size=8), st.randoms())
def test_fake_sums_add_in_any_order(parts, chance):
    """Sums over a host or cluster do not depend on order or batches."""
    shuffled = list(parts)
    chance.shuffle(shuffled)

    assert sum(parts, FakeSums()) == sum(shuffled, FakeSums())
    assert sum(parts, FakeSums()) == sum(parts[:3], FakeSums()) + sum(parts[3:], FakeSums())


@given(sums, sums)
def test_fake_sums_can_be_taken_back(first, second):
    """The state before a page follows from the state after it."""
    assert (first + second) - second == first


def test_full_counter_stays_full():
    """A counter at its limit neither wraps nor fails."""
    assert FakeSums(tokens=MAX_SUM) + FakeSums(tokens=5) == FakeSums(tokens=MAX_SUM)


@given(st.sampled_from(["too_short", "unknown_language", None]), counts, st.floats(0, 1))
def test_unjudged_pages_add_nothing(verdict, tokens, fakeness):
    """Text that could not be judged speaks neither for nor against its host."""
    assert FakeSums() == page_sums(verdict, tokens, fakeness)


@given(st.floats(0, 1), st.integers(1, 10**6))
def test_one_page_condemns_no_host(fakeness, tokens):
    """A single fake page, however long, says nothing about its host."""
    assert judge_host(Host("a.example", page_sums("fake", tokens, fakeness)), RULES).verdict == "unknown"


@given(st.integers(2, 50), st.integers(30, 400), st.floats(0.55, 1.0))
def test_short_pages_add_up(pages, tokens, fakeness):
    """Pages too short to condemn a host one by one do so together, once there is enough of them."""
    together = sum((page_sums("fake", tokens, fakeness) for _ in range(pages)), FakeSums())
    expected = "suspect" if pages * tokens >= RULES.least_tokens else "unknown"

    assert expected == judge_host(Host("a.example", together), RULES).verdict


@given(st.integers(2, 50), st.floats(0.0, 1e-3))
def test_one_odd_page_is_outvoted(natural, fakeness):
    """A page that looks fake beyond doubt does not condemn a host whose other pages are natural."""
    usual = sum((page_sums("natural", 500, fakeness) for _ in range(natural)), FakeSums())
    host = usual + page_sums("fake", 500, 0.51)

    assert "unknown" == judge_host(Host("a.example", host), RULES).verdict


@given(st.lists(st.tuples(st.integers(1, 5000), st.floats(0.001, 0.999)), min_size=1, max_size=8))
def test_fakeness_of_sums_is_between(pages):
    """All pages together are no more and no less fake than the most and the least fake one."""
    together = sum((page_sums("fake", tokens, fakeness) for tokens, fakeness in pages), FakeSums())
    each = [page_sums("fake", tokens, fakeness).fakeness for tokens, fakeness in pages]

    assert min(each) - 1e-9 <= together.fakeness <= max(each) + 1e-9
