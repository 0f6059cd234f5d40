"""Throw hostile pages at the scanner: `python -m tests.fuzz.fuzz_page --inputs 100000 --seed 1`.

Kernels run in checked mode, so an access outside an array raises. Every input is also compared with the
slow twin, in one piece and in random chunks. An input that fails is printed as a Python literal.
"""

import argparse
import os
import random
import sys
import time

os.environ["TEST_CHECKED_KERNELS"] = "1"

import numpy as np

from hss_stream.signals import page_state as ps
from hss_stream.signals.charset import repair_utf8
from hss_stream.signals.page_scan import PageScanner
from tests.oracles.page import slow_page
from tests.oracles.style import slow_collapse, slow_noise
from tests.oracles.style_arrays import array_slots

NAMES = (
    b"a base iframe script style title textarea xmp plaintext svg math template div p li td b br x-y".split()
)
WHOLE = [
    b"<!--", b"-->", b"--!>", b"<![CDATA[", b"]]>", b"<!doctype html>", b"<?xml?>", b"&amp;", b"&#x1F600;",
    b"&#" + b"1" * 20, b"&notin;", b"<!--<script>", b"</script", b"\0", b"\xef\xbb\xbf", b"\xe9",
    b"'" * 50, b"<" * 50,
]  # fmt: skip
ATTRIBUTES = [
    b' href="x&amp;y"',
    b" src=//h/p",
    b" hidden",
    b" style='display : none'",
    b" =",
    b" a=b",
    b"/",
    b" HREF=''",
]


def make_tag(chance: random.Random) -> bytes:
    """Return a tag, often broken."""
    attributes = b"".join(chance.choices(ATTRIBUTES, k=chance.randrange(4)))
    end = chance.choice((b">", b">", b">", b"/>", b"", b" "))
    return chance.choice((b"<", b"<", b"</")) + chance.choice(NAMES) + attributes + end


def make_page(chance: random.Random) -> bytes:
    """Return a hostile page: pieces of markup, random bytes, sometimes one repeated at length."""
    pieces = []
    for _ in range(chance.randrange(1, 60)):
        kind = chance.randrange(8)
        if kind < 4:
            pieces.append(make_tag(chance))
        elif kind < 6:
            pieces.append(chance.choice(WHOLE))
        elif kind == 6:
            pieces.append(chance.randbytes(chance.randrange(12)))
        else:
            pieces.append(chance.choice((b"word ", b"\n \t", b"&", b"=\"'", b";")) * chance.randrange(1, 5))
    if chance.randrange(50) == 0:
        pieces[chance.randrange(len(pieces))] *= chance.randrange(200, 3000)
    return b"".join(pieces)


def assert_same(body: bytes, scanner: PageScanner, chance: random.Random) -> None:
    """Compare the scan of a page in random chunks with its twin."""
    scanner.begin("text/html; charset=utf-8")
    at = 0
    while at < len(body):
        size = chance.choice((1, 2, 7, 100, 5000, len(body)))
        scanner.update(body[at : at + size])
        at += size
    scan = scanner.finish()
    slow = slow_page(body.removeprefix(b"\xef\xbb\xbf"))

    assert slow.tags == scan.tags.tolist()
    assert slow.lengths == scan.tag_lengths.tolist()
    assert repair_utf8(bytes(slow.text[: ps.MAX_TEXT]).strip()) == scan.text
    assert repair_utf8((slow.title or b"").strip()) == scan.title
    assert len(slow.links) == len(scan.links)
    assert slow.hidden == scan.hidden_text_bytes
    assert np.array_equal(array_slots(slow_collapse(slow_noise(slow.markup))), scan.style.values)
    assert np.array_equal(array_slots(slow_noise(body)), scan.paper_style.values)


def main() -> None:
    """Try inputs until the number or the time is reached; exit 1 with the first that fails."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--inputs", type=int, default=1000)
    options.add_argument("--seconds", type=float, default=float("inf"))
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    chance = random.Random(chosen.seed)
    scanner = PageScanner()
    until, tried = time.monotonic() + chosen.seconds, 0
    while tried < chosen.inputs and time.monotonic() < until:
        body = make_page(chance)
        try:
            if body[:2] not in {b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff"}:
                assert_same(body, scanner, chance)
        except (AssertionError, IndexError):
            sys.stderr.write(f"input {tried} of seed {chosen.seed}: {body!r}\n")
            raise
        tried += 1
    sys.stdout.write(f"{tried} inputs, seed {chosen.seed}: no difference, no access outside\n")


main()
