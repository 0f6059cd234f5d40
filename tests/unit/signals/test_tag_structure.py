"""Tag distances at their edges."""

import numpy as np

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
