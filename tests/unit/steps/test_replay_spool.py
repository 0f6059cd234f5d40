"""The spool of a replay survives a kill at any moment."""

from hss_stream.steps.events import Origin
from hss_stream.steps.place_page import Placement
from hss_stream.steps.replay_pages import Spool


def placed(offset, outcome="joined"):
    """Return a page and where it went."""
    name = None if outcome == "skipped" else f"s{offset:016x}"
    return f"https://x.example/{offset}", Placement(Origin("replay", "1", 0, offset), outcome, name)


def test_spool_keeps_what_is_told_once(tmp_path):
    """Pages that are done already keep their lines, also when the run is killed before they come again."""
    spool = Spool(tmp_path / "spool")
    assert 0 == spool.cut(0)
    assert 0 == spool.add(placed(offset) for offset in range(4))
    with spool.path.open("ab") as file:
        file.write(b'[4,"https://x.exam')
    whole = [(url, placement.cluster, None) for url, placement in map(placed, range(4))]

    for _ in range(2):
        again = Spool(spool.path)
        assert 2 == again.cut(2)
    assert 0 == again.add([placed(2, "skipped"), placed(3)])
    assert whole == list(again.pages())


def test_page_told_nowhere_is_missing(tmp_path):
    """A page that was done before and is in no spool is counted as missing."""
    spool = Spool(tmp_path / "spool")
    spool.cut(2)

    assert 1 == spool.add([placed(2, "skipped"), placed(3)])
