"""Whether the scanner read a page as its slow twin reads it, in everything it gives."""

import numpy as np

from hss_stream.signals import page_state as ps
from hss_stream.signals.charset import repair_utf8
from hss_stream.signals.page_scan import PageScan
from tests.oracles.page import slow_page
from tests.oracles.style import slow_collapse, slow_noise
from tests.oracles.style_arrays import array_slots

# The twin knows neither compressed bodies nor UTF-16.
NOT_FOR_THE_TWIN = (b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff")


def is_for_the_twin(body: bytes) -> bool:
    """Tell whether the twin can read a page that is taken for UTF-8."""
    return body[:2] not in NOT_FOR_THE_TWIN


def assert_same_page(body: bytes, scan: PageScan) -> None:
    """Compare the scan of a page that is UTF-8 or windows-1252 with its twin's, field by field."""
    slow = slow_page(body.removeprefix(b"\xef\xbb\xbf"))
    markup, noise = slow_collapse(slow_noise(slow.markup)), slow_noise(body)
    links = repair_utf8(b"".join(link + b"\n" for link in slow.links))

    assert slow.tags[: ps.MAX_TAGS] == scan.tags.tolist()
    assert slow.lengths == scan.tag_lengths.tolist()
    assert repair_utf8(bytes(slow.text[: ps.MAX_TEXT]).strip()) == scan.text
    assert repair_utf8((slow.title or b"").strip()) == scan.title
    assert tuple(links.split(b"\n")[:-1]) == scan.links
    assert repair_utf8(slow.base) == scan.base
    assert slow.hidden == scan.hidden_text_bytes
    assert (len(markup), len(noise)) == (scan.style.noise_bytes, scan.paper_style.noise_bytes)
    assert np.array_equal(array_slots(markup), scan.style.values)
    assert np.array_equal(array_slots(noise), scan.paper_style.values)


def assert_same_scans(one: PageScan, other: PageScan) -> None:
    """Compare two scans of one page in everything."""
    for name in ("style", "paper_style", "text", "hidden_text_bytes", "title", "links", "base", "charset"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.body_bytes == other.body_bytes
    assert np.array_equal(one.tags, other.tags)
    assert np.array_equal(one.tag_lengths, other.tag_lengths)
