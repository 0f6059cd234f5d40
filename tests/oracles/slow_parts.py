"""What becomes of bodies in parts, by looking at a whole partition at once."""

from hss_stream.stream.parts import MAX_SPAN


def slow_whole_bodies(log):
    """Return the last offset and the bytes of each whole body.

    `log` is a list of (offset, key, body id, part, parts, bytes). The rows of a key fall into runs: a run
    ends with a last part, where the body id changes, and before a row too far from the run's first.
    A run is a whole body if it is exactly the parts from 0 on, in order.
    """
    whole = []
    for key in {row[1] for row in log}:
        runs = []
        for row in (row for row in log if row[1] == key):
            run = runs[-1] if runs else None
            if run and run[-1][2] == row[2] and not is_last(run[-1]) and row[0] - run[0][0] <= MAX_SPAN:
                run.append(row)
            else:
                runs.append([row])
        for run in runs:
            parts = run[0][4]
            if [(part, parts) for part in range(parts)] == [(row[3], row[4]) for row in run]:
                whole.append((run[-1][0], b"".join(row[5] for row in run)))
    return sorted(whole)


def is_last(row):
    """Tell whether a row is the last part its body names."""
    return row[3] == row[4] - 1
