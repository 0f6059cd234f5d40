"""A replay that is killed again and again ends as if nothing had happened."""

import random

from tests.services.replay_runs import calm_run, killed_run, write_pages


def test_killed_replay_resumes(tmp_path):
    """Clusters, counters, placements, events equal those of an undisturbed run, after kills at any moment."""
    source = tmp_path / "pages.jsonl"
    write_pages(source, 600)
    calm = calm_run(source, tmp_path)
    rough, killed = killed_run(source, tmp_path, 600, 2, random.Random(7))

    assert killed
    assert calm.events == rough.events
    assert calm.report == rough.report
