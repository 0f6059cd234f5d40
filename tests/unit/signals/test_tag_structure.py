"""Tag distances at their edges."""

import numpy as np

from hss_stream.signals.page_scan import scan_page
from hss_stream.signals.tag_structure import tag_distance, tag_structure

NOTHING = np.zeros(11, np.int64)


def test_largest_tag_numbers_are_kept():
    """Every number the scanner gives, also those of unknown names, is a tag of its own."""
    tags = np.arange(0, 0xD800, 7, dtype=np.uint16)
    page = tag_structure(tags, NOTHING)

    assert len(tags) == len(page)
    assert len(set(page.tags)) == len(tags)


def test_longer_page_sets_the_scale():
    """Half of a page is at distance one half, whichever is named first."""
    whole, half = (tag_structure(np.arange(count, dtype=np.uint16), NOTHING) for count in (100, 50))

    assert 0.5 == tag_distance(whole, half) == tag_distance(half, whole)


def test_emptiness_is_one_structure():
    """Two pages without tags are equal; one without tags and one with some have nothing in common."""
    empty, page = (tag_structure(np.arange(count, dtype=np.uint16), NOTHING) for count in (0, 5))

    assert (0.0, 1.0) == (tag_distance(empty, empty), tag_distance(empty, page))


def test_equal_tags_have_equal_length():
    """Two unknown names share a number only if their names fall into one bin, so F can never exceed D."""
    scans = [
        scan_page(f"<{'x' * length}-{number}>".encode()) for length in range(1, 14) for number in range(99)
    ]
    bins = {}
    for scan in scans:
        bins.setdefault(int(scan.tags[0]), set()).add(int(scan.tag_lengths.argmax()))

    assert all(len(lengths) == 1 for lengths in bins.values())
    assert len(bins) > 1000


def test_tags_beyond_the_limit_count_nowhere():
    """A page with a million tags keeps the first 65,536, in the sequence and in the histogram alike."""
    scan = scan_page(b"<b>" * 1_000_000)

    assert 65_536 == len(scan.tags) == scan.tag_lengths.sum()
