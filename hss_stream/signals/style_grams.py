"""The exact measures between two pages: Jaccard and Dice on the full sets of their grams (section 2.1).

A sketch estimates them from 128 values; for one pair there is time to compare everything. Format 2's
noise is taken from the scanner itself, so that what is compared is what is sketched.
"""

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals import page_state as ps
from hss_stream.signals.page_scan import PageScanner
from hss_stream.signals.style_sketch import BLOCK_BYTES, DEFAULT_FORMAT, ENTERING, GRAM_BYTES, IS_NOISE

_WORDS = bytes(np.flatnonzero(IS_NOISE == 0).tolist())


class _NoiseScanner(PageScanner):
    """A scanner that keeps the noise it sketches."""

    def begin(self, content_type: str | None = None) -> None:
        super().begin(content_type)
        self.paper_noise = bytearray()
        self.markup_noise = bytearray()

    def _scan(self, chunk: bytes) -> None:
        # The noise buffer holds one block, so the chunk goes through block by block.
        for at in range(0, len(chunk), BLOCK_BYTES):
            block = chunk[at : at + BLOCK_BYTES]
            super()._scan(block)
            self.paper_noise += block.translate(None, _WORDS)
            self.markup_noise += self._runs[GRAM_BYTES : int(self._state[ps.RUNS_END])].tobytes()


def style_noise(body: bytes, content_type: str | None = None, *, number: int = DEFAULT_FORMAT) -> bytes:
    """Return the noise of a page that a format's grams are cut from."""
    scanner = _NoiseScanner()
    scanner.begin(content_type)
    scanner.update(body)
    scanner.finish()
    return bytes(scanner.markup_noise if number == DEFAULT_FORMAT else scanner.paper_noise)


def noise_grams(noise: bytes) -> NDArray[np.uint64]:
    """Return the hashes of the different overlapping 32-grams, in rising order."""
    data = np.frombuffer(noise, np.uint8)
    count = max(0, len(data) - GRAM_BYTES + 1)
    hashes = np.zeros(count, np.uint64)
    for place in range(GRAM_BYTES):
        hashes = (hashes << np.uint64(1)) | (hashes >> np.uint64(63))
        hashes ^= ENTERING[data[place : place + count]]
    return np.unique(hashes)


def style_grams(
    body: bytes, content_type: str | None = None, *, number: int = DEFAULT_FORMAT
) -> NDArray[np.uint64]:
    """Return the different grams of a page in a format of the sketch."""
    return noise_grams(style_noise(body, content_type, number=number))


def exact_jaccard(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> float:
    """Return shared grams by all grams, in [0, 1]; 0 where neither page has any."""
    shared = len(np.intersect1d(first, second, assume_unique=True))
    every = len(first) + len(second) - shared
    return shared / every if every else 0.0


def exact_dice(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> float:
    """Return twice the shared grams by the sum of both pages' grams, in [0, 1]; 0 where there are none."""
    shared = len(np.intersect1d(first, second, assume_unique=True))
    total = len(first) + len(second)
    return 2 * shared / total if total else 0.0
