"""Character references (`&eacute;`, `&#8217;`): the names known, and what a number stands for.

Known are the names of HTML 5 of at most 8 letters that stand for one code point, which includes all of
HTML 4; the 106 names that may lack their semicolon are recognised without it where the run of letters and
digits after `&` is the whole name.
"""

import html.entities

import numpy as np
from numba import int64

from hss_stream.signals.kernel import Bytes, Int, Word, kernel_part, load_item, store_byte

MAX_NAME = 8
# `&#` and the digits; a longer number is plain text. Browsers read on for ever, a scanner must not.
MAX_NUMBER = 16

TABLE_BITS = 13
BARE = 1 << 32  # flag in the value: the semicolon may be missing
REPLACEMENT = 0xFFFD


def entity_key(name: bytes) -> int:
    """Return a name of at most 8 bytes as one number."""
    return int.from_bytes(name, "big")


def known_entities() -> dict[bytes, int]:
    """Return the code point of each known name, with BARE set where the semicolon may be missing."""
    bare = {name for name in html.entities.html5 if not name.endswith(";")}
    return {
        name[:-1].encode(): ord(text) | (BARE if name[:-1] in bare else 0)
        for name, text in html.entities.html5.items()
        if name.endswith(";") and len(text) == 1 and len(name) - 1 <= MAX_NAME
    }


_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(64 - TABLE_BITS)
_MASK = (1 << TABLE_BITS) - 1
_ZERO = np.uint64(0)


def _tables() -> tuple[np.ndarray, np.ndarray]:
    keys = np.zeros(1 << TABLE_BITS, np.uint64)
    values = np.zeros(1 << TABLE_BITS, np.int64)
    for name, value in sorted(known_entities().items()):
        key = entity_key(name)
        place = (key * int(_MULTIPLIER) & (2**64 - 1)) >> int(_SHIFT)
        while keys[place]:
            place = (place + 1) & _MASK
        keys[place] = key
        values[place] = value
    return keys, values


ENTITY_KEYS, ENTITY_VALUES = _tables()


def _numbered() -> np.ndarray:
    """Return what the numbers below 256 stand for: 128 to 159 are read as windows-1252, 0 is no character."""
    points = np.arange(256, dtype=np.int64)
    for byte in range(128, 160):
        points[byte] = ord(bytes([byte]).decode("cp1252", "ignore") or chr(byte))
    points[0] = REPLACEMENT
    return points


NUMBERED = _numbered()


@kernel_part
def named_code_point(key: Word, with_semicolon: Int) -> Int:
    """Return the code point of a named reference, or 0 where it is none."""
    place = int64((key * _MULTIPLIER) >> _SHIFT)
    while load_item(ENTITY_KEYS, place) != key and load_item(ENTITY_KEYS, place) != _ZERO:
        place = (place + 1) & _MASK
    value = load_item(ENTITY_VALUES, place) if key != _ZERO else int64(0)
    return value & 0x1FFFFF if (with_semicolon or value & BARE) else int64(0)


@kernel_part
def numbered_code_point(number: Int) -> Int:
    """Return the code point a numeric reference stands for."""
    point = number
    if number < 256:
        point = load_item(NUMBERED, number)
    elif number >= 0x110000 or 0xD800 <= number < 0xE000:
        point = int64(REPLACEMENT)
    return point


@kernel_part
def put_code_point(out: Bytes, end: Int, point: Int) -> Int:
    """Write a code point as UTF-8; return the new end."""
    if point < 0x80:
        store_byte(out, end, point)
        end += 1
    elif point < 0x800:
        store_byte(out, end, 0xC0 | point >> 6)
        store_byte(out, end + 1, 0x80 | (point & 63))
        end += 2
    elif point < 0x10000:
        store_byte(out, end, 0xE0 | point >> 12)
        store_byte(out, end + 1, 0x80 | ((point >> 6) & 63))
        store_byte(out, end + 2, 0x80 | (point & 63))
        end += 3
    else:
        store_byte(out, end, 0xF0 | point >> 18)
        store_byte(out, end + 1, 0x80 | ((point >> 12) & 63))
        store_byte(out, end + 2, 0x80 | ((point >> 6) & 63))
        store_byte(out, end + 3, 0x80 | (point & 63))
        end += 4
    return end
