"""Where two pages agree."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hss_stream.signals.style_passages import REGIONS, find_agreement, region_map

TEMPLATE = b'<div class="a-b c_d"><ul id="x"><li><a href="/p?q=1&r=2">%b</a></li></ul></div>\n' * 3


def test_shared_template_is_found():
    """Two pages of one template agree in their markup, whatever their words are."""
    one = b"<html><body>" + TEMPLATE % (b"red", b"green", b"blue") + b"</body></html>"
    other = b"<html><body>" + TEMPLATE % (b"wine", b"beer", b"milk") + b"</body></html>"
    agreement = find_agreement(one, other)

    assert agreement.shared["markup"] == agreement.total["markup"] > 50
    assert one.find(b"<html>") == agreement.passages[0].start


def test_unrelated_pages_share_nothing():
    """Pages with other noise have no passage in common."""
    agreement = find_agreement(TEMPLATE, b"<!-- ((((( ))))) ,,,, ;;;; " * 20)

    assert () == agreement.passages
    assert 0 == sum(agreement.shared.values())


def test_every_region_is_told():
    """Head, markup, text, script, style and comment are told apart byte by byte."""
    page = b"<head><style>a{}</style></head><body><!-- x -->hi<script>1<2</script><p>"
    found = [REGIONS[place] for place in region_map(page)]

    assert "head" == found[0]
    assert "style" == found[page.find(b"a{}")]
    assert "markup" == found[page.find(b"<body>")]
    assert "comment" == found[page.find(b"<!--")]
    assert "text" == found[page.find(b"hi")]
    assert "script" == found[page.find(b"1<2")]


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_any_bytes_are_survived(one, other):
    """Whatever two pages hold, passages lie inside the first and their noise occurs in the second."""
    noise = bytes(byte for byte in other if byte < 128 and not chr(byte).isalnum())
    agreement = find_agreement(one, other)

    assert len(region_map(one)) == len(one)
    for passage in agreement.passages:
        part = bytes(byte for byte in one[passage.start : passage.end] if byte < 128)
        kept = bytes(byte for byte in part if not chr(byte).isalnum())
        assert kept[:32] in noise


def test_hostile_markup_is_linear():
    """Unterminated comments, scripts and tags end with the page."""
    for piece in (b"<!--", b"<script>", b"<style", b"<"):
        assert np.all(region_map(piece * 50_000) != REGIONS.index("text"))
