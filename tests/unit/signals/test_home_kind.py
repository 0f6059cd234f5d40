"""What a home page is as evidence: a page, a redirect, near-empty, or a server's default."""

import pytest

from hss_stream.signals.home_kind import home_kind
from hss_stream.signals.page_scan import scan_page
from hss_stream.signals.site_sample import DEFAULT, EMPTY, PAGE, REDIRECT

URL = "http://site.example/"
PAGE_BODY = b"<html><body>" + b"<div><p>text</p></div>" * 5


def kind_of(body, status=None):
    """Return kind and target of a home page."""
    return home_kind(scan_page(body), body, URL, status)


@pytest.mark.parametrize(
    ("body", "target"),
    [
        (b'<meta http-equiv="refresh" content="0; url=http://park.example/a">', "http://park.example/a"),
        (b"<META CONTENT='2;URL=//park.example/' HTTP-EQUIV=Refresh>" + PAGE_BODY, "http://park.example/"),
        (b'<script>window.location = "http://park.example/?d=1"</script>', "http://park.example/?d=1"),
        (b"<script>top.location.href='https://park.example/'</script>", "https://park.example/"),
        (b'<script>location.replace("/lander")</script>', "http://site.example/lander"),
        (b'<meta http-equiv="refresh" content="0;url=http://park.example/?a=1&amp;b=2">',
         "http://park.example/?a=1&b=2"),
    ],
)  # fmt: skip
def test_pages_that_lead_elsewhere(body, target):
    """Meta refreshes and scripts are followed by name, never opened."""
    assert (REDIRECT, target) == kind_of(body)


def test_redirects_by_status():
    """The body of a redirect names its target; one without a body is empty."""
    body = b'<title>301 Moved</title><p>The document has moved <a href="https://park.example/">here</a>.'

    assert (REDIRECT, "https://park.example/") == kind_of(body, 301)
    assert (EMPTY, "") == kind_of(b"", 302)


@pytest.mark.parametrize(
    "title",
    [
        b"Apache2 Ubuntu Default Page: It works", b"Welcome to nginx!", b"IIS Windows Server",
        b"Test Page for the Apache HTTP Server", b"Index of /", b"404 Not Found", b"Account Suspended",
    ],
)  # fmt: skip
def test_default_pages(title):
    """What a server shows before anybody has put a page there is kept apart."""
    assert (DEFAULT, "") == kind_of(b"<title>" + title + b"</title>" + PAGE_BODY)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (PAGE_BODY, PAGE),
        (b"<html><body>soon</body></html>", EMPTY),
        (b"", EMPTY),
        (b"<title>404 ways to cook</title>" + PAGE_BODY, PAGE),
        (b'<meta http-equiv=refresh content="300;url=http://other.example/">' + PAGE_BODY, PAGE),
        (PAGE_BODY * 20 + b"<script>location.href='http://other.example/'</script>", PAGE),
        (b'<meta http-equiv=refresh content="0;url=http://[broken">' + PAGE_BODY, PAGE),
    ],
)
def test_pages_of_their_own(body, kind):
    """A late refresh, a click handler of a large page or a broken address do not make a redirect."""
    assert (kind, "") == kind_of(body)
