"""Reading a page: what each kind of markup gives."""

import random

import pytest

from hss_stream.signals.page_scan import PageScanner, scan_page
from hss_stream.signals.tag_names import NAMES
from tests.oracles.same_page import assert_same_scans

PAGE = b"""<!DOCTYPE html><html><head><title> Hello &amp; bye </title><base href="http://base.example/">
<script>if (a<b) x="</div>"; <!-- <script> </script> --> </script></head><body class='a b'>
  Caf\xe9 &eacute;t&#233; <p>foo&nbsp;  bar</p>
<a href=" http://foo.example/?a=1&amp;b=2 " href="zz">li<b>nk</b></a>
<div style="Display : none">hidden <div>too</div></div>shown <textarea>a </text> &lt;b</textarea>
<!-- note --><iframe src=/in?x&copy=1>no</iframe></body></html>"""


def test_text_is_visible_text():
    """Text is UTF-8 with white space collapsed, without markup, scripts, title and hidden parts."""
    assert "Café été\nfoo bar\nlink\nshown\na </text> <b" == scan_page(PAGE).text.decode()


def test_title_is_apart():
    """The title is decoded and is no part of the text."""
    assert b"Hello & bye" == scan_page(PAGE).title


def test_links_are_decoded():
    """Links come as written, references decoded; of two href the first counts."""
    scan = scan_page(PAGE)

    assert (b"http://foo.example/?a=1&b=2", b"/in?x&copy=1") == scan.links
    assert b"http://base.example/" == scan.base


def test_tags_come_in_order():
    """The tag sequence has start and end tags in order."""
    names = [("/" if tag & 1 else "") + NAMES[tag >> 1] for tag in scan_page(b"<P><b>x</B><br/></p>").tags]

    assert ["p", "b", "/b", "br", "/p"] == names


@pytest.mark.parametrize("seed", range(20))
def test_any_split_is_equal(seed):
    """A page in chunks gives what the whole page gives."""
    chance = random.Random(seed)
    scanner = PageScanner()
    scanner.begin()
    at = 0
    while at < len(PAGE):
        size = chance.choice((1, 2, 3, 50))
        scanner.update(PAGE[at : at + size])
        at += size

    assert_same_scans(scan_page(PAGE), scanner.finish())


def test_default_style_is_frozen():
    """Format 2 never changes: stored sketches of this format are compared with new ones for years."""
    marks = "=/:;.-_#?&"
    page = "".join(
        f"<div id{marks[n * n % 10]}'{n}{marks[n * n // 10 % 10] * (n % 3)}'><b>{n}</b> <br/>!</div>\n"
        for n in range(400)
    )
    sketch = scan_page(page.encode()).style

    assert (2, 3908, 3877) == (sketch.format, sketch.noise_bytes, sketch.grams)
    assert "b3b1241d83e207b715d1388e1663b22808b943d3551a5bdd26888e2a34bc6bdf" == sketch.to_bytes()[:32].hex()


def test_drawings_are_no_style():
    """Icons that two pages share leave no trace in the default sketch: they say nothing about who made it."""
    page = b'<div class="a-b"><ul id="c_d"><li><a href="/x?y=1&z=2">t</a></li></ul></div>' * 9
    icon = b'<path d="M8.9,16.1L9,14L8.9,9.5c0-0.1,0-0.1-0.1-0.1"/><g><use href="#i-1"/></g>' * 9

    assert scan_page(page).style == scan_page(page + icon).style
