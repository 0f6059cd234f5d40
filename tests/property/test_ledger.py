"""The ledger never lets an unfinished page be committed, in whatever order pages finish."""

from hypothesis import given
from hypothesis import strategies as st

from hss_stream.stream.ledger import PartitionLedger


def slow_safe_offset(handed_out: list[int], done: list[tuple[int, ...]]) -> int | None:
    """The definition: the greatest offset below which all is done and which splits no group."""
    settled = {offset for group in done for offset in group}
    safe = None
    for offset in sorted(set(handed_out)):
        if offset not in settled:
            break
        if not any(group[0] <= offset < group[-1] for group in done):
            safe = offset + 1
    return safe


@given(st.data())
def test_ledger_equals_its_definition(data):
    """After any interleaving of handing out and settling, the committable offset is the definition's."""
    offsets = sorted(data.draw(st.sets(st.integers(0, 60), max_size=20)))
    ledger, handed, done, open_offsets = PartitionLedger(), [], [], []
    while offsets or open_offsets:
        if offsets and (not open_offsets or data.draw(st.booleans())):
            handed.append(offsets.pop(0))
            open_offsets.append(handed[-1])
            ledger.hand_out(handed[-1])
        else:
            group = data.draw(st.lists(st.sampled_from(open_offsets), min_size=1, max_size=3, unique=True))
            done.append(tuple(sorted(group)))
            ledger.settle(done[-1])
            open_offsets = [offset for offset in open_offsets if offset not in group]

        assert slow_safe_offset(handed, done) == ledger.safe_offset
        assert len(open_offsets) <= ledger.open_count


def test_repeats_change_nothing():
    """An offset handed out or settled twice counts once, and a foreign one not at all."""
    ledger = PartitionLedger()
    for offset in (4, 5, 5, 4, 6):
        ledger.hand_out(offset)
    for offset in (5, 5, 3, 4, 4):
        ledger.settle((offset,))

    assert 6 == ledger.safe_offset
    assert 1 == ledger.open_count
