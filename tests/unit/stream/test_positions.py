"""Where a partition starts: Kafka's word, unless the store contradicts it."""

import pytest

from hss_stream.stream.keeper import Known, PositionError, start_position


@pytest.mark.parametrize(
    ("committed", "fence", "done_below", "expected"),
    [
        (None, -1, 0, None),  # a new group on a new store
        (None, 49, 0, None),  # pinned, never committed: Kafka begins at the beginning
        (50, 49, 50, None),  # in step
        (50, 70, 50, None),  # pinned but not committed: delivered again, pins answer
        (50, 30, 20, 20),  # the store went back: from its own last commit on
        (50, 30, 31, 31),  # the same, with dead letters after the last page
        (50, 20, 50, None),  # nothing but dead letters since the last page
        (0, -1, 0, None),
    ],
)
def test_start_follows_the_rules(committed, fence, done_below, expected):
    """The lower of what Kafka and the store know, never past an unfinished body."""
    assert expected == start_position("t/0", committed, Known(fence, done_below), 100, adopt=False)


def test_unknown_offsets_are_refused():
    """Committed offsets and an empty store: only an explicit word lets the worker start."""
    with pytest.raises(PositionError, match="HSS_WORKER__ADOPT_OFFSETS=true"):
        start_position("t/0", 50, Known(-1, 0), 100, adopt=False)

    assert start_position("t/0", 50, Known(-1, 0), 100, adopt=True) is None


def test_recreated_topic_is_refused():
    """A fence beyond the partition's end stops the worker and says what to do."""
    with pytest.raises(PositionError, match="HSS_GROUP"):
        start_position("t/0", None, Known(500, 0), 100, adopt=True)
