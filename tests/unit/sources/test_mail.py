"""Messages as they really come: nested, broken, lying; each has an answer."""

import base64

import pytest

from hss_stream.sources.mail import MAX_DEPTH, MAX_TEXT_BYTES, Mail, parse_mail

SIMPLE = b"From: a@example.org\nSubject: Hello\n\nThe text. See https://example.org/x.\n"


def multipart(*parts, boundary="b1", kind="mixed", closed=True):
    """Return a multipart message of raw parts (header and body each)."""
    head = f'Subject: parts\nContent-Type: multipart/{kind}; boundary="{boundary}"\n\npreamble\n'
    end = f"--{boundary}--\nepilogue\n" if closed else ""
    return (head + "".join(f"--{boundary}\n{part}\n" for part in parts) + end).encode()


def test_simple_message():
    """A message without MIME is its subject, its text and the links in it."""
    expected = Mail(
        subject=b"Hello", plain=b"The text. See https://example.org/x.\n", links=(b"https://example.org/x",)
    )

    assert expected == parse_mail(SIMPLE)


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_line_ends_do_not_matter(newline):
    """Unix, network and old Mac line ends give the same words."""
    mail = parse_mail(SIMPLE.replace(b"\n", newline))

    assert (b"Hello", SIMPLE.split(b"\n\n")[1].split()) == (mail.subject, mail.plain.split())


def test_envelope_line_is_skipped():
    """The `From ` line of an mbox is no part of the message."""
    assert parse_mail(SIMPLE) == parse_mail(b"From a@example.org Thu Jan  1 00:00:00 2004\n" + SIMPLE)


def test_alternatives_are_both_read():
    """Plain text and HTML of one message are kept apart; the HTML keeps its bytes and its charset."""
    mail = parse_mail(
        multipart(
            "Content-Type: text/plain\n\nplain", "Content-Type: text/html; charset=koi8-r\n\n<p>html</p>"
        )
    )

    assert (b"plain", b"<p>html</p>", "text/html; charset=koi8-r") == (
        mail.plain.strip(),
        mail.html.strip(),
        mail.html_type,
    )


def test_two_html_parts_become_one():
    """Several HTML parts are one text in UTF-8, whatever their charsets."""
    first = (
        "Content-Type: text/html; charset=latin1\nContent-Transfer-Encoding: quoted-printable\n\n<p>caf=E9"
    )
    mail = parse_mail(multipart(first, "Content-Type: text/html\n\n<p>two"))

    assert "<p>café" in mail.html.decode()
    assert b"<p>two" in mail.html
    assert "text/html; charset=utf-8" == mail.html_type


def test_attachments_are_skipped():
    """What is attached, or no text, is counted and not read."""
    attached = "Content-Type: text/plain\nContent-Disposition: attachment; filename=x.txt\n\nattached words"
    mail = parse_mail(
        multipart("Content-Type: image/png\nContent-Transfer-Encoding: base64\n\nAAAA", attached, "\nbody")
    )

    assert (2, b"body") == (mail.attachments, mail.plain.strip())


@pytest.mark.parametrize(
    ("value", "subject"),
    [
        (b"=?utf-8?B?w4lj?= =?UTF-8?B?b2xl?=", "École"),
        (b"=?utf-8?B?w4?= =?utf-8?B?mWNvbGU=?=", None),
        (b"=?iso-8859-1?Q?caf=E9_noir?=", "café noir"),
        (b"=?utf-8?Q?caf=C3?= =?utf-8?Q?=A9?=", "café"),
        (b"plain =?us-ascii?q?word?= end", "plain word end"),
        (b"=?utf-8?B?broken", "=?utf-8?B?broken"),
        (b"=?x-unknown?Q?abc?=", "abc"),
        ("caf\u00e9".encode(), "café"),
        (b"caf\xe9", "café"),
        (b"folded\n  subject", "folded subject"),
    ],
)
def test_subjects_are_decoded(value, subject):
    """Encoded words are decoded, also when a character is split over two; broken ones stay as they are."""
    found = parse_mail(b"Subject: " + value + b"\n\n").subject.decode()

    assert subject is None or subject == found


@pytest.mark.parametrize(
    ("charset", "raw"),
    [
        ("utf-8", "naïve".encode()),
        ("iso-8859-1", "naïve".encode()),
        ("utf-8", b"na\xefve"),
        ("us-ascii", b"na\xefve"),
        ("no-such-charset", b"na\xefve"),
        ("zlib", b"na\xefve"),
        ("punycode", b"na\xefve"),
        ("unicode_escape", b"na\xefve"),
        ("utf-16", "naïve".encode("utf-16")),
        ("cp850", "naïve".encode("cp850")),
    ],
)
def test_charsets_may_lie(charset, raw):
    """The text is read although its charset is wrong, unknown, or no charset at all."""
    head = f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: base64\n\n".encode()

    assert "naïve" == parse_mail(head + base64.b64encode(raw)).plain.decode()


def test_nesting_has_a_limit():
    """A thousand multiparts inside each other are read down to a limit, which is named."""
    levels = [f"Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n" for level in range(1000)]
    mail = parse_mail(
        ("\nouter text\n--b0\n".join(levels[:1]) + "".join(levels[1:]) + "\ndeep text").encode()
    )

    assert ("too_deep",) == mail.problems
    assert MAX_DEPTH < 1000


def test_messages_in_messages():
    """A forwarded message is read; a thousand inside each other are read down to the limit."""
    forwarded = b"Content-Type: message/rfc822\n\n"

    assert b"inner" == parse_mail(b"Subject: a\n" + forwarded + b"Subject: b\n\ninner").plain
    assert ("too_deep",) == parse_mail(forwarded * 1000 + b"inner").problems


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        (b"Content-Type: multipart/mixed\n\n--x\nContent-Type: text/plain\n\ntext\n--x--\n", b"text"),
        (
            b"Content-Type: multipart/mixed; boundary=lie\n\n--x\nContent-Type: text/plain\n\ntext\n--x--\n",
            b"text",
        ),
        (b"Content-Type: multipart/mixed; boundary=lie\n\nonly text\n", b"only text"),
        (multipart("\nnever closed", closed=False), b"never closed"),
        (multipart("Content-Type: text/plain"), b""),
        (b"no header at all", b"no header at all"),
        (b"", b""),
        (b"\n\ntext", b"text"),
        (b"Content-Type: nonsense\n\ntext", b"text"),
    ],
)
def test_broken_structure_has_an_answer(raw, plain):
    """Missing, wrong and unclosed boundaries still give the text that is there."""
    assert plain == parse_mail(raw).plain.strip()


def test_inner_part_ends_with_outer():
    """A multipart that is never closed ends where its parent goes on."""
    inner = "Content-Type: multipart/alternative; boundary=inner\n\n--inner\n\ninside"
    mail = parse_mail(multipart(inner, "\noutside"))

    assert [b"inside", b"outside"] == mail.plain.split()


def test_quoted_html_is_html():
    """A body that is an HTML document is one, although the header says plain text."""
    assert b"<html><p>x" == parse_mail(b"Subject: a\n\n<html><p>x").html


def test_text_has_a_limit():
    """Base64 of any size is decoded up to the limit and no further."""
    head = b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n"
    mail = parse_mail(head + base64.b64encode(b"word " * 4_000_000))

    assert (MAX_TEXT_BYTES, ("text_cut",)) == (len(mail.plain), mail.problems)


def test_huge_header_is_cut():
    """A header of megabytes is cut; the message is answered."""
    mail = parse_mail(b"Subject: early\nX-Long: " + b"x" * 3_000_000 + b"\nSubject: late\n\nbody")

    assert (b"early", ("huge_header",)) == (mail.subject, mail.problems)


def test_dashes_and_boundaries_do_not_multiply():
    """Millions of lines that look like delimiters are looked at only up to a limit."""
    mail = parse_mail(multipart("\n" + "--nothing\n" * 300_000, closed=False))

    assert ("too_many_dashes",) == mail.problems


@pytest.mark.parametrize(
    ("encoded", "text"),
    [
        (b"d29yZA==", b"word"),
        (b"d29y\r\nZA", b"word"),
        (b"d2!9y ZA==", b"word"),
        (b"d29yZA==d29yZA==", b"wordword"),
        (b"d29yZ", b"wor"),
        (b"=", b""),
        (b"=" * 100_000, b""),
    ],
)
def test_base64_is_read_leniently(encoded, text):
    """Foreign bytes, missing padding and joined texts are read as far as they make sense."""
    assert text == parse_mail(b"Content-Transfer-Encoding: base64\n\n" + encoded).plain


def test_quoted_printable_is_read_leniently():
    """Soft line breaks, also with blanks behind them, join; broken escapes stay."""
    raw = b"Content-Transfer-Encoding: quoted-printable\n\none=\n two=  \n three=ZZ=41"

    assert b"one two three=ZZA" == parse_mail(raw).plain


def test_split_parameters_are_joined():
    """A boundary in pieces (RFC 2231) and one with blanks around it are found."""
    raw = b'Content-Type: multipart/mixed; boundary*0="a"; boundary*1=b\n\n--ab\n\ntext\n--ab--\n'

    assert b"text" == parse_mail(raw).plain.strip()
    assert (
        b"text" == parse_mail(raw.replace(b'boundary*0="a"; boundary*1=b', b'boundary = "ab" ')).plain.strip()
    )
