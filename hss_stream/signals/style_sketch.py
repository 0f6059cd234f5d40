"""The style sketch: what a page looks like once its words are gone (Urvoy et al., AIRWeb 2006).

Noise is every byte that is neither an ASCII letter or digit nor above 127. Overlapping 32-grams of the
noise are hashed to 64 bits; the hash names one of 128 slots, and each slot keeps the least permuted
hash it met (procedure 1 of the paper). The share of equal slots estimates the resemblance of two pages.

    gram hash    h = xor over j = 0..31 of rotl(T[gram[j]], 31 - j)     (cyclic, so it rolls)
    table        T[c] = output c of SplitMix64 seeded with TABLE_SEED
    slot         h mod 128
    permutation  x = h * FIRST mod 2**64;  x ^= x >> 32;  x * SECOND mod 2**64

Format 1 takes all bytes of the page. Format 2 takes the markup alone, and is made by the page scanner.
Both are frozen: stored sketches are compared with new ones for years, and golden values hold them.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
from numba import int64, types, uint64
from numpy.typing import NDArray

from hss_stream.signals.kernel import (
    BYTES_IN,
    Bytes,
    Int,
    Word,
    Words,
    kernel,
    kernel_part,
    load_byte,
    load_item,
    store_byte,
    store_item,
)
from hss_stream.signals.wide_bytes import (
    KEEPS_WIDE,
    WIDTH,
    below,
    clear_wide,
    copy_bytes,
    count_of,
    keep_flagged,
    noise_flags,
)

PAPER_FORMAT = 1
DEFAULT_FORMAT = 2

SLOTS = 128
GRAM_BYTES = 32
EMPTY_SLOT = 2**64 - 1

# A match needs 35 equal slots (verdicts/style_match.py), so a page that fills fewer can match nothing.
MIN_FILLED_SLOTS = 35

# Noise is compacted a block at a time into a buffer that stays in the first-level cache.
BLOCK_BYTES = 8192

TABLE_SEED = 0x4853535F53545245
WORD = 2**64 - 1


def splitmix64(seed: int, count: int) -> list[int]:
    """Return the first outputs of the SplitMix64 generator."""
    outputs = []
    for step in range(1, count + 1):
        mixed = (seed + step * 0x9E3779B97F4A7C15) & WORD
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & WORD
        outputs.append(mixed ^ (mixed >> 31))
    return outputs


# Byte 255 is never noise; its zero entry stands for "no byte yet" in the first window.
FILLER = 255
ENTERING = np.array([*splitmix64(TABLE_SEED, FILLER), 0], np.uint64)
# A byte leaves the window after 32 rotations by one.
LEAVING = (ENTERING << np.uint64(32)) | (ENTERING >> np.uint64(32))
IS_NOISE = np.array([byte < 128 and not chr(byte).isalnum() for byte in range(256)], np.uint8)

FIRST = np.uint64(0xFF51AFD7ED558CCD)
SECOND = np.uint64(0xC4CEB9FE1A85EC53)
_ONE, _HALF, _TOP, _SLOT_MASK = np.uint64(1), np.uint64(32), np.uint64(63), np.uint64(SLOTS - 1)
_EMPTY_SLOTS = np.full(SLOTS, EMPTY_SLOT, np.uint64)

Kind = TypeVar("Kind", np.uint16, np.uint32)


@dataclass(frozen=True, eq=False)
class StyleSketch:
    """The sketch of one page; `values` are the least permuted hashes, EMPTY_SLOT where no gram fell."""

    format: int
    noise_bytes: int
    grams: int
    values: NDArray[np.uint64] = field(repr=False)

    @cached_property
    def slots_filled(self) -> int:
        """The number of slots that hold a value."""
        return int(np.count_nonzero(self.values != np.uint64(EMPTY_SLOT)))

    @property
    def is_degenerate(self) -> bool:
        """Whether the page has too little style to be compared: it is never matched and never indexed."""
        return self.slots_filled < MIN_FILLED_SLOTS

    def probe_words(self) -> NDArray[np.uint32]:
        """Return the low 32 bits of each slot for index probes; 0 is empty, a true 0 becomes 1."""
        return _low_bits(self.values, np.uint32)

    def to_bytes(self) -> bytes:
        """Return the 256 bytes that are stored and compared: 128 big-endian pairs, 0 is empty."""
        return _low_bits(self.values, np.uint16).astype(">u2").tobytes()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StyleSketch):
            return NotImplemented
        counts = (self.format, self.noise_bytes, self.grams)
        same = counts == (other.format, other.noise_bytes, other.grams)
        return same and np.array_equal(self.values, other.values)

    __hash__ = None  # type: ignore[assignment] # it holds an array


def _low_bits(values: NDArray[np.uint64], kind: type[Kind]) -> NDArray[Kind]:
    low: NDArray[Kind] = values.astype(kind)
    low[low == 0] = 1
    low[values == np.uint64(EMPTY_SLOT)] = 0
    return low


def merge_sketches(first: StyleSketch, second: StyleSketch) -> StyleSketch:
    """Return the sketch of two pages' grams together; grams across the cut between them are in neither."""
    if first.format != second.format:
        raise ValueError(f"merging sketches of formats {first.format} and {second.format}")
    return StyleSketch(
        first.format,
        first.noise_bytes + second.noise_bytes,
        first.grams + second.grams,
        np.minimum(first.values, second.values),
    )


@kernel_part
def roll_noise(noise: Bytes, end: Int, rolling: Word, count: Int, slots: Words, base: Int) -> Word:
    """Sketch noise[32:end], which follows the 32 bytes before it; return the rolling hash after it.

    `count` is the number of noise bytes before these. The last 32 bytes move to the front. The slots of
    this sketch are slots[base : base + 128].
    """
    at = GRAM_BYTES
    first_full = min(end, GRAM_BYTES + max(0, GRAM_BYTES - 1 - count))
    while at < first_full:
        rolling = (rolling << _ONE) | (rolling >> _TOP)
        rolling ^= load_item(ENTERING, load_byte(noise, at)) ^ load_item(LEAVING, load_byte(noise, at - 32))
        at += 1
    while at < end:
        rolling = (rolling << _ONE) | (rolling >> _TOP)
        rolling ^= load_item(ENTERING, load_byte(noise, at)) ^ load_item(LEAVING, load_byte(noise, at - 32))
        at += 1
        value = rolling * FIRST
        value ^= value >> _HALF
        value *= SECOND
        slot = base + int64(rolling & _SLOT_MASK)
        if value < load_item(slots, slot):
            store_item(slots, slot, value)
    copy_bytes(noise, end - GRAM_BYTES, int64(GRAM_BYTES), noise)
    return rolling


@kernel_part
def forget_noise(noise: Bytes) -> None:
    """Begin a page: no byte came before its first."""
    for back in range(GRAM_BYTES):
        store_byte(noise, back, FILLER)


@kernel_part
def fill_block(body: Bytes, start: Int, size: Int, block: Bytes) -> None:
    """Copy the next bytes of a page to where wide loads may reach beyond them: zeros follow."""
    copy_bytes(body, start, size, block)
    clear_wide(block, size)
    clear_wide(block, size + WIDTH)


@kernel_part
def compact_noise(block: Bytes, start: Int, stop: Int, noise: Bytes, end: Int) -> Int:
    """Append the noise of block[start:stop] to a buffer, free of branches; return its new end."""
    if KEEPS_WIDE:
        while start < stop:
            flags = noise_flags(block, start) & below(stop - start)
            keep_flagged(block, start, flags, noise, end)
            end += count_of(flags)
            start += WIDTH
    else:
        while start < stop:
            byte = load_byte(block, start)
            store_byte(noise, end, byte)
            end += load_byte(IS_NOISE, byte)
            start += 1
    return end


_BUFFER = types.uint8[::1]


@kernel(types.void(BYTES_IN, types.uint64[::1], types.uint64[::1], _BUFFER, _BUFFER), allocates=False)
def sketch_chunk(body: Bytes, state: Words, slots: Words, block: Bytes, noise: Bytes) -> None:
    """Sketch a chunk; state = [rolling hash, noise bytes so far]."""
    left = int64(body.size)
    start = int64(0)
    rolling = state[0]
    count = int64(state[1])
    if count == 0:
        forget_noise(noise)
    while left > 0:
        size = min(left, BLOCK_BYTES)
        fill_block(body, start, size, block)
        end = compact_noise(block, int64(0), size, noise, int64(GRAM_BYTES))
        rolling = roll_noise(noise, end, rolling, count, slots, int64(0))
        count += end - GRAM_BYTES
        start += size
        left -= size
    state[0] = rolling
    state[1] = uint64(count)


def make_noise_buffer() -> NDArray[np.uint8]:
    """Return a buffer for one block of noise after the 32 bytes before it, and room for a wide store."""
    return np.full(GRAM_BYTES + BLOCK_BYTES + 2 * WIDTH, FILLER, np.uint8)


class StyleSketcher:
    """Sketches a page (format 1) in any split: `update` as the bytes come, then `finish`."""

    def __init__(self) -> None:
        self._state = np.zeros(2, np.uint64)
        self._slots = _EMPTY_SLOTS.copy()
        self._noise = make_noise_buffer()
        self._block = make_noise_buffer()

    def update(self, chunk: bytes) -> None:
        """Add the next bytes of the page."""
        sketch_chunk(np.frombuffer(chunk, np.uint8), self._state, self._slots, self._block, self._noise)

    def finish(self) -> StyleSketch:
        """Return the sketch of all bytes so far, and begin again with nothing."""
        sketch = make_sketch(PAPER_FORMAT, int(self._state[1]), self._slots)
        self._state.fill(0)
        self._slots = _EMPTY_SLOTS.copy()
        return sketch


def make_sketch(number: int, noise_bytes: int, slots: NDArray[np.uint64]) -> StyleSketch:
    """Return the sketch of a format from what a kernel left in its slots, which it keeps."""
    return StyleSketch(number, noise_bytes, max(0, noise_bytes - GRAM_BYTES + 1), slots)


def sketch_style(body: bytes) -> StyleSketch:
    """Return the sketch of a whole page by the paper (format 1)."""
    sketcher = StyleSketcher()
    sketcher.update(body)
    return sketcher.finish()
