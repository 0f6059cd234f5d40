"""I-Match in `score` and `compare`: pages, mail and texts under the shipped lexicon."""

import base64

import pytest

from hss_stream.signals.fingerprint import Fingerprint
from hss_stream.steps.compare_pages import compare_pages
from hss_stream.steps.score_page import read_body, score_page

TEXT = (
    "Dear customer, we noticed unusual activity in your account and therefore limited what you can do. "
    "Please confirm your naïve identity within the next hours, otherwise the account stays closed for ever. "
    "Our security department thanks you for understanding; questions are answered by the service team. "
    "Several attempts came from foreign countries, which is why this measure became necessary yesterday. "
    "Follow the instructions below, enter your password twice, and wait until everything has been checked. "
    "Nothing else happens afterwards: your money remains safe, your cards continue working, as always before."
)


def imatch(body, kind):
    """Return the I-Match block of a body."""
    return score_page(body, kind)["imatch"]


def html(text):
    """Return a page with a text and much that is not shown."""
    hidden = (
        '<p style="display:none">secret hidden words nobody reads</p><!-- comment --><script>var</script>'
    )
    return f"<html><head><title>t</title></head><body>{hidden}<p>{text}</p></body></html>"


def mail(text, charset="utf-8", kind="plain"):
    """Return a message in base64."""
    head = (
        f"Subject: hello\nContent-Type: text/{kind}; charset={charset}\nContent-Transfer-Encoding: base64\n\n"
    )
    return head.encode() + base64.encodebytes(text.encode(charset))


def test_block_has_its_fields():
    """Lexicon, terms and eleven signatures are there, as hex or null."""
    block = imatch(TEXT.encode(), "text")

    assert 11 == len(block["signatures"])
    assert all(len(value) == 16 for value in block["signatures"])
    assert block["terms"] >= 8
    assert 16 == len(block["lexicon"])


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "cp1252", "utf-8-sig"])
def test_encoding_does_not_matter(charset):
    """The same text in another encoding has the same signatures."""
    assert imatch(TEXT.encode(), "text") == imatch(TEXT.encode(charset), "text")


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "utf-16", "windows-1252"])
def test_mail_encoding_does_not_matter(charset):
    """The same message in another charset, as plain text or HTML, has the same signatures."""
    expected = imatch(mail(TEXT), "mail")["signatures"]

    assert expected == imatch(mail(TEXT, charset), "mail")["signatures"]
    assert expected == imatch(mail(html(TEXT), charset, "html"), "mail")["signatures"]


def test_hidden_text_is_left_out():
    """Text that is not shown changes no signature and is reported."""
    plain, spiced = (
        imatch(f"<html><body><p>{TEXT}</p></body></html>".encode(), "page"),
        imatch(html(TEXT).encode(), "page"),
    )

    assert plain["signatures"] == spiced["signatures"]
    assert spiced["hidden_bytes"] > 20
    assert 0 == plain["hidden_bytes"]


def test_misleading_alternative_is_ignored():
    """Of two alternatives the one that is shown counts."""
    salad = "wonderful random poetry that misleads every filter "
    raw = (
        "Subject: hello\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n"
        f"{salad}\n--b\nContent-Type: text/html; charset=utf-8\n\n{html(TEXT)}\n--b--\n"
    )

    assert imatch(mail(TEXT), "mail")["signatures"] == imatch(raw.encode(), "mail")["signatures"]


@pytest.mark.parametrize("text", ["", "too short", "\U0001f600" * 99, "今天天气很好", "a" * 10_000_000])
def test_too_little_text_is_null(text):
    """Empty, short, emoji-only and one-word texts have null signatures, a fingerprint and no match."""
    scored = score_page(text.encode(), "text")
    reading = read_body(text.encode(), "text")

    assert [None] * 11 == scored["imatch"]["signatures"]
    assert (0,) * 11 == Fingerprint.from_hex(scored["fingerprint"]).signatures
    assert compare_pages(reading, reading)["imatch"] is None


def test_script_without_spaces_has_signatures():
    """Phrases of ideographs between punctuation are words, so that a long text has signatures."""
    text = "。".join(
        f"这是第{number}个很长的句子"
        for number in "一二三四五六七八九十甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥"
    )

    assert None not in imatch(text.encode(), "text")["signatures"]


def test_fingerprint_holds_all():
    """The fingerprint of a page has its kind, lexicon, signatures and sketch."""
    scored = score_page(html(TEXT).encode(), "page")
    fingerprint = Fingerprint.from_hex(scored["fingerprint"])

    assert ("page", scored["imatch"]["lexicon"]) == (fingerprint.kind, f"{fingerprint.lexicon:016x}")
    assert scored["imatch"]["signatures"] == [
        f"{value:016x}" if value else None for value in fingerprint.signatures
    ]
    assert scored["style"]["sketch"] == fingerprint.sketch.hex()


def test_changed_text_is_the_same():
    """Some words more or fewer leave two texts the same; another text is another."""
    first = read_body(TEXT.encode(), "text")
    changed = read_body(TEXT.replace("noticed", "observed").replace("security", "").encode(), "text")
    other = read_body(
        b"The committee discussed agriculture, fisheries and transport policy of several regions; "
        b"ministers postponed whatever concerned taxation, education, railways and harbours.",
        "text",
    )

    assert compare_pages(first, changed)["imatch"]["same"]
    assert {"matching": 11, "of": 11, "same": True} == compare_pages(first, first)["imatch"]
    assert not compare_pages(first, other)["imatch"]["same"]
