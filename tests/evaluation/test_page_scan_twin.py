"""On real pages too, the scanner gives what its slow twin gives."""

import os
from pathlib import Path

import pytest

from hss_stream.signals.page_scan import PageScanner
from tests.oracles.same_page import assert_same_page, is_for_the_twin

# TEST_ALL_PAGES=1 compares every page, which takes a quarter of an hour.
STEP = 1 if os.environ.get("TEST_ALL_PAGES") == "1" else 199
CHUNK = 4099


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("corpus", ["pages-debian-docs", "pages-web", "pages-doorway"])
def test_real_pages_equal_their_twin(evaluation_data, corpus):
    """Pages found in the world, cut into chunks, are read as the plain scanner reads them."""
    scanner = PageScanner()
    pages = sorted(Path(evaluation_data, corpus).rglob("*.html"))[::STEP]
    for path in pages:
        body = path.read_bytes()
        if is_for_the_twin(body):
            scanner.begin("text/html; charset=utf-8")
            for at in range(0, len(body), CHUNK):
                scanner.update(body[at : at + CHUNK])
            assert_same_page(body, scanner.finish())

    assert pages
