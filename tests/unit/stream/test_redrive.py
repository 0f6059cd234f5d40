"""Letters that go back: whole ones, each id once, none for ever."""

import pytest

from hss_stream.stream.redrive import SeenIds, judge_letter, original_headers
from hss_stream.stream.topics import Topics


@pytest.mark.parametrize(
    ("headers", "action"),
    [
        ({"hss-origin": b"hss/hss.pages/0/7"}, "would_send"),
        ({"hss-origin": b"a/b/hss.mail/0/7"}, "would_send"),
        ({"hss-origin": b"hss/hss.pages/0/7", "hss-truncated": b"1"}, "truncated"),
        ({"hss-origin": b"hss/hss.pages/0/7", "body-id": b"b"}, "part_of_body"),
        ({"hss-origin": b"hss/hss.pages/0/7", "redrives": b"3"}, "too_often"),
        ({"hss-origin": b"hss/other/0/7"}, "foreign_topic"),
        ({}, "foreign_topic"),
    ],
)
def test_letter_is_judged(headers, action):
    """Only whole letters of our topics go back, and not for ever."""
    assert action == judge_letter(headers, Topics(), 3)


def test_headers_are_the_original_ones():
    """What goes back has the headers it came with, and counts its rounds."""
    headers = [("hss-id", b"x"), ("url", b"u"), ("redrives", b"1")]

    assert [("url", b"u"), ("redrives", b"2")] == original_headers(headers)


def test_repeated_letters_are_known():
    """An id is new once, as long as it is among the last ones."""
    seen = SeenIds(most=2)

    assert [True, False, True, True, True] == [seen.is_new(one) for one in (b"a", b"a", b"b", b"c", b"a")]
