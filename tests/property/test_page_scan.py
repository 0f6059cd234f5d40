"""The scanner and the sketch equal their slow twins for any bytes in any split."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hss_stream.signals.page_scan import PageScanner
from hss_stream.signals.style_sketch import StyleSketcher
from tests.oracles.same_page import assert_same_page, is_for_the_twin
from tests.oracles.style import slow_noise, slow_slots

SCANNER = PageScanner()
SKETCHER = StyleSketcher()

PIECES = [
    b"<", b">", b"</", b"/>", b"<!--", b"-->", b"--!>", b"-", b"!", b"<!", b"<?", b"]]>", b"<![CDATA[",
    b"<p>", b"</p>", b"<div", b"</div>", b"<script>", b"</script>", b"<script ", b"<style>", b"</style>",
    b"<title>", b"</title>", b"<textarea>", b"</textarea>", b"<xmp>", b"</xmp>", b"<plaintext>", b"<svg>",
    b"</svg>", b"<math>", b"</math", b"<a", b"<base", b"<iframe", b"</iframe>", b" href=", b" src=",
    b' href="',    b" style='display: NONE'", b" hidden", b"<template>", b"</template>",
    b"<li hidden>", b"<br>", b"<x-y>", b"<radialGradient r='-.5'>",
    b'"', b"'", b"=", b" ", b"\n", b"\t", b"\0", b"/", b"&", b"&amp;", b"&amp", b"&lt;", b"&nbsp;", b"&#65;",
    b"&#x80", b"&#0;", b"&#99999999;", b"&copy=", b"&notit;", b";", b"#", b"x", b"word", b"\xe9",
    b"\xc3\xa9", b"1",
]  # fmt: skip
PAGES = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4)), max_size=40).map(b"".join)


def scan_in_parts(body, cuts):
    """Return the scan of a page that arrives cut at these places."""
    SCANNER.begin()
    last = 0
    for cut in [*sorted(cut % (len(body) + 1) for cut in cuts), len(body)]:
        SCANNER.update(body[last:cut])
        last = cut
    return SCANNER.finish()


@settings(max_examples=400)
@given(PAGES, st.lists(st.integers(0, 400), max_size=4))
def test_scanner_equals_its_twin(body, cuts):
    """Any bytes in any split give what the plain scanner gives for the whole page."""
    if is_for_the_twin(body) and b"\0" not in body[:4]:
        assert_same_page(body, scan_in_parts(body, cuts))


@settings(max_examples=100)
@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=4))
def test_sketch_equals_its_definition(body, cuts):
    """The rolling sketch of any bytes in any split is the sketch gram by gram."""
    last = 0
    for cut in [*sorted(cut % (len(body) + 1) for cut in cuts), len(body)]:
        SKETCHER.update(body[last:cut])
        last = cut
    sketch = SKETCHER.finish()

    assert np.array_equal(slow_slots(slow_noise(body)), sketch.values)
