"""Look for pages that cost more than in proportion: `python -m tests.fuzz.fuzz_growth --inputs 200`.

A page of a few hostile pieces, repeated, is scanned at one size and at eight times that size. Three times
the proportional time, three measurements in a row, is a finding: it is printed, and the exit code is 1.
(Twice is not: a result of megabytes needs fresh memory from the system, which a small one does not.)
Even processor time depends on what else the machine does, so this is a command and not a test; the
tests count the scanner's steps instead (tests/unit/signals/test_hostile_pages.py).
"""

import argparse
import random
import sys
import time

from hss_stream.signals.page_scan import PageScanner
from tests.fuzz.hostile_pages import make_piece

SMALL, TIMES = 300_000, 8
TOLERANCE, ATTEMPTS = 3.0, 3
SCANNER = PageScanner()


def best_time(body: bytes) -> float:
    """Return the least processor time of three scans of a page, which others on the machine do not add to."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        SCANNER.begin()
        SCANNER.update(body)
        SCANNER.finish()
        best = min(best, time.process_time() - start)
    return best


def growth(piece: bytes) -> float:
    """Return how many times the proportional time a page of eight times the size takes, at its best."""
    ratio = float("inf")
    for _ in range(ATTEMPTS):
        if ratio <= TOLERANCE:
            break
        body = piece * (SMALL // len(piece) + 1)
        ratio = min(ratio, best_time(body * TIMES) / best_time(body) / TIMES)
    return ratio


def main() -> None:
    """Try pages made of a few pieces over and over; exit 1 where one grows out of proportion."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--inputs", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    chance = random.Random(chosen.seed)
    found, worst = 0, 0.0
    for _ in range(chosen.inputs):
        piece = b"".join(make_piece(chance) for _ in range(chance.randrange(1, 5))) or b"<"
        ratio = growth(piece)
        worst = max(worst, ratio)
        if ratio > TOLERANCE:
            found += 1
            sys.stderr.write(f"{ratio:.1f} times the proportional time: {piece!r}\n")
    sys.stdout.write(f"{chosen.inputs} pages, seed {chosen.seed}: {found} superlinear, worst {worst:.2f}\n")
    sys.exit(1 if found else 0)


main()
