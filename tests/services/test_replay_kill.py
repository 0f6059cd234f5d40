"""A replay that is killed again and again ends as if nothing had happened."""

import random

from tests.services.replay_runs import read_events, start_replay, write_pages


def test_killed_replay_resumes(tmp_path):
    """Clusters, counters, placements, events equal those of an undisturbed run, after kills at any line."""
    source = tmp_path / "pages.jsonl"
    write_pages(source, 700)
    calm, calm_report = {}, []
    assert read_events(start_replay(source, tmp_path / "calm"), None, calm, calm_report)
    chance = random.Random(7)
    rough, report = {}, []
    resume = None
    for _ in range(2):
        if read_events(
            start_replay(source, tmp_path / "rough", resume), chance.randrange(600), rough, report
        ):
            break
        report, resume = [], 1
    else:
        assert read_events(start_replay(source, tmp_path / "rough", 1), None, rough, report)

    assert calm == rough
    assert calm_report == report
