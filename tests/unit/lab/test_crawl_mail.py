"""Generated mail is deterministic, readable, and changes its words inside a campaign."""

import email
import email.policy

from hss_stream.lab.crawl_mail import generate_mail


def text_of(mail):
    """Return the plain part of a message."""
    parsed = email.message_from_bytes(mail.raw, policy=email.policy.default)
    return parsed.get_body(("plain",)).get_content()


def test_mail_is_deterministic():
    """The same seed gives the same messages."""
    assert list(generate_mail(seed=4, messages=50)) == list(generate_mail(seed=4, messages=50))


def test_campaign_changes_words():
    """Messages of a campaign differ from each other in a few words and share the rest."""
    mails = [mail for mail in generate_mail(seed=4, messages=200) if mail.campaign == 0]
    first, second = (set(text_of(mail).split()) for mail in mails[:2])

    assert len({mail.raw for mail in mails}) == len(mails)
    assert len(first & second) >= 0.7 * len(first | second)


def test_letters_are_honest():
    """Every message outside a campaign is clean, and both sorts are common."""
    mails = list(generate_mail(seed=4, messages=200))

    assert {("spam", True), ("clean", False)} == {(mail.truth, mail.campaign is not None) for mail in mails}
    assert 60 < sum(mail.truth == "spam" for mail in mails) < 140
