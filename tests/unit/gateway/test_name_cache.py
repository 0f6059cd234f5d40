"""Kept answers live until their time is over, something they rest on changes, or others need the room."""

from hss_stream.gateway.name_cache import MAX_TARGET, UNTOLD_SECONDS, KeptAnswer, NameCache


def answer(*keys, until=10.0):
    """Return an answer that rests on some keys."""
    return KeptAnswer(b"", b"", "", "url", "url", "unknown", "", until, keys)


def test_answer_lives_its_time():
    """An answer is found until its time is over."""
    names = NameCache(10, 5.0)
    names.keep("a", answer(until=names.until(100.0)))

    assert names.find("a", 104.9) is not None
    assert names.find("a", 105.0) is None
    assert 0 == len(names)


def test_time_is_short_without_news():
    """Where the store tells of no changes, answers are kept for a moment only."""
    assert 100.0 + UNTOLD_SECONDS == NameCache(10, 60.0, lambda: False).until(100.0)


def test_changed_key_drops_what_rests_on_it():
    """A change ends the answers that rest on that key, and no others."""
    names = NameCache(10, 5.0)
    names.keep("a", answer(b"1", b"2"))
    names.keep("b", answer(b"2"))
    names.keep("c", answer(b"3"))
    names.forget([b"2", b"9"])

    assert [None, None, True] == [names.find(one, 0.0) and True for one in "abc"]
    assert 1 == names.changes
    names.forget(None)
    assert 0 == len(names)


def test_oldest_gives_way():
    """With no room left the oldest answer goes, and nothing is left of it."""
    names = NameCache(2, 5.0)
    for one in "abc":
        names.keep(one, answer(one.encode()))

    assert ["b", "c"] == list(names._answers)
    assert [b"b", b"c"] == list(names._targets)


def test_long_targets_are_not_kept():
    """Targets beyond all measure cost no memory."""
    names = NameCache(2, 5.0)
    names.keep("x" * (MAX_TARGET + 1), answer())

    assert 0 == len(names)
