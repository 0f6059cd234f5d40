"""Throw hostile pages at the scanner: `python -m tests.fuzz.fuzz_page --inputs 100000 --seed 1`.

Kernels run in checked mode, so an access outside an array raises. Every input is compared with the slow
twin, and a compressed or differently encoded form of it with itself, in one piece and in random chunks.
An input that fails is printed as a Python literal. tests/fuzz/fuzz_growth.py looks for superlinear time.
"""

import argparse
import os
import random
import sys
import time

os.environ["TEST_CHECKED_KERNELS"] = "1"

from hss_stream.signals.page_scan import PageScan, PageScanner
from tests.fuzz.hostile_pages import CONTENT_TYPES, make_page, make_wrapped, split
from tests.oracles.same_page import assert_same_page, assert_same_scans, is_for_the_twin

SCANNER = PageScanner()


def scan_chunks(chunks: list[bytes], content_type: str | None) -> PageScan:
    """Return the scan of a page that arrives in chunks."""
    SCANNER.begin(content_type)
    for chunk in chunks:
        SCANNER.update(chunk)
    return SCANNER.finish()


def try_page(body: bytes, chance: random.Random) -> None:
    """Compare a page with its twin, and a wrapped form of it with the same in other chunks."""
    if is_for_the_twin(body):
        assert_same_page(body, scan_chunks(split(body, chance), "text/html; charset=utf-8"))
    wrapped, content_type = make_wrapped(chance, body), chance.choice(CONTENT_TYPES)
    assert_same_scans(scan_chunks([wrapped], content_type), scan_chunks(split(wrapped, chance), content_type))


def main() -> None:
    """Try inputs until the number or the time is reached; exit 1 with the first that fails."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--inputs", type=int, default=1000)
    options.add_argument("--seconds", type=float, default=float("inf"))
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    chance = random.Random(chosen.seed)
    until, tried = time.monotonic() + chosen.seconds, 0
    while tried < chosen.inputs and time.monotonic() < until:
        body = make_page(chance)
        try:
            try_page(body, chance)
        except (AssertionError, IndexError):
            sys.stderr.write(f"input {tried} of seed {chosen.seed}: {body!r}\n")
            raise
        tried += 1
    sys.stdout.write(f"{tried} inputs, seed {chosen.seed}: no difference, no access outside\n")


main()
