"""Loading the shipped model: how long it takes, and what a second process that has it costs.

Baselines: the same slots as a pickled dictionary, and KenLM reading an ARPA file of fewer n-grams (that of
bench `faketext`), which is why rates are in n-grams a second.
Loads are warm: the file is in the page cache, as on every start but the first.
"""

import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import kenlm
import numpy as np

from hss_stream.models.ngram_file import read_model
from hss_stream.models.shipped_model import SHIPPED
from tests.bench.bench_faketext import documents, train
from tests.bench.measure import RUNS, best_seconds

# What a process that has loaded the model and touched all of it says of its memory, in KB.
CHILD = """
import sys
from pathlib import Path
import numpy as np
from hss_stream.models.ngram_file import read_model
def facts():
    with open("/proc/self/smaps") as lines:
        ours = False
        sums = {}
        for line in lines:
            first, _, rest = line.partition(" ")
            if not first.endswith(":"):
                ours = sys.argv[1] in line
            elif ours and rest.strip().endswith("kB"):
                sums[first] = sums.get(first, 0) + int(rest.split()[0])
    return sums
model = read_model(Path(sys.argv[1])).model.ngrams
np.bitwise_xor.reduce(model.slots)
print("loaded", flush=True)
sys.stdin.readline()
sums = facts()
print(sums["Rss:"], sums["Pss:"], sums["Private_Clean:"] + sums["Private_Dirty:"], flush=True)
"""


def shared_memory() -> tuple[int, int, int]:
    """Return KB of the mapped file in one of two processes: resident, proportional, and its own alone."""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, str(SHIPPED)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for child in children:
        assert child.stdout is not None
        child.stdout.readline()
    answers = []
    for child in children:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write("\n")
        child.stdin.flush()
        answers.append(child.stdout.readline())
    for child in children:
        child.communicate()
    resident, proportional, own = (int(number) for number in answers[0].split())
    return resident, proportional, own


def rows(*, slow: bool) -> Iterator[dict]:
    """Return n-grams loaded a second, and megabytes of a second process that has the model."""
    del slow
    model = read_model(SHIPPED).model.ngrams
    ngrams = int(np.count_nonzero(model.slots))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts, _ = documents()
        ours, _ = train(texts[:300], folder)
        arpa = folder / "three.arpa"
        theirs = int(np.count_nonzero(ours.ngrams.slots[: int(ours.ngrams.buckets[3, 0]) * 8]))
        (folder / "pickle").write_bytes(pickle.dumps(dict(enumerate(model.slots.tolist()))))
        best = best_seconds(
            {
                "mapped": lambda: read_model(SHIPPED),
                "python": lambda: pickle.loads((folder / "pickle").read_bytes()),  # noqa: S301 - written above
                "kenlm": lambda: kenlm.Model(str(arpa)),
            }
        )
    for baseline, count in (("python", ngrams), ("kenlm", theirs)):
        value, other = ngrams / best["mapped"], count / best[baseline]
        yield {
            "measure": "ngrams_loaded_per_second",
            "value": round(value),
            "baseline": baseline,
            "baseline_value": round(other),
            "ratio": round(value / other, 2),
            "runs": RUNS,
            "load_milliseconds": round(best["mapped"] * 1000, 2),
            "megabytes": round(SHIPPED.stat().st_size / 2**20, 1),
        }
    resident, proportional, own = shared_memory()
    yield {
        "measure": "own_kilobytes_of_second_process",
        "value": own,
        "baseline": "python",
        "baseline_value": resident,
        "ratio": round(resident / max(own, 1), 1),
        "runs": 1,
        "proportional_kilobytes": proportional,
    }
