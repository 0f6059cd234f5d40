"""On real pages too, the scanner gives what its slow twin gives."""

import os
from pathlib import Path

import numpy as np
import pytest

from hss_stream.signals import page_state as ps
from hss_stream.signals.charset import repair_utf8
from hss_stream.signals.page_scan import PageScanner
from tests.oracles.page import slow_page
from tests.oracles.style import slow_collapse, slow_noise
from tests.oracles.style_arrays import array_slots

# TEST_ALL_PAGES=1 compares every page, which takes a quarter of an hour.
STEP = 1 if os.environ.get("TEST_ALL_PAGES") == "1" else 199
CHUNK = 4099


def assert_equals_twin(body: bytes, scanner: PageScanner) -> None:
    """Compare scan and twin of one page, which arrives in chunks."""
    scanner.begin("text/html; charset=utf-8")
    for at in range(0, len(body), CHUNK):
        scanner.update(body[at : at + CHUNK])
    scan = scanner.finish()
    slow = slow_page(body.removeprefix(b"\xef\xbb\xbf"))
    markup = slow_collapse(slow_noise(slow.markup))

    assert slow.tags == scan.tags.tolist()
    assert slow.lengths == scan.tag_lengths.tolist()
    assert repair_utf8(bytes(slow.text[: ps.MAX_TEXT]).strip()) == scan.text
    assert repair_utf8((slow.title or b"").strip()) == scan.title
    assert len(slow.links) == len(scan.links)
    assert slow.hidden == scan.hidden_text_bytes
    assert np.array_equal(array_slots(markup), scan.style.values)
    assert np.array_equal(array_slots(slow_noise(body)), scan.paper_style.values)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("corpus", ["pages-debian-docs", "pages-web", "pages-doorway"])
def test_real_pages_equal_their_twin(evaluation_data, corpus):
    """Pages found in the world, cut into chunks, are read as the plain scanner reads them."""
    scanner = PageScanner()
    pages = sorted(Path(evaluation_data, corpus).rglob("*.html"))[::STEP]
    for path in pages:
        body = path.read_bytes()
        if body[:2] not in {b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff"}:
            assert_equals_twin(body, scanner)

    assert pages
