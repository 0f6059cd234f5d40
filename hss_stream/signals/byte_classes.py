"""What a byte means to the page scanner: one table of flags, so that a byte costs one look-up.

The kernels that use a table have it in their machine code; kernel.py keys the kernels' cache by all
sources of this room, so that no kernel runs with a table of yesterday.
"""

import numpy as np
from numba import int64, uint64

from hss_stream.signals.kernel import Bytes, Int, Word, kernel_part, load_word, swap_bytes
from hss_stream.signals.wide_bytes import WIDTH, byte_flags, first_of, flags_of_any

SPACE_BYTES = b"\t\n\f\r "

# Bit flags of CLASS.
SPACE = 1
TEXT_END = 2  # ends a run of plain text: `<`, `&` and NUL
NAME_END = 4  # ends a tag name: white space, `/`, `>`
ATTRIBUTE_END = 8  # ends an attribute name: the same and `=`
UNQUOTED_END = 16  # ends a value without quotes: white space, `>`
LETTER = 32
DIGIT = 64
ALPHANUMERIC = LETTER | DIGIT


def _class_of(byte: int) -> int:
    text = chr(byte) if byte < 128 else ""
    space = byte in SPACE_BYTES
    return (
        SPACE * space
        | TEXT_END * (byte in b"<&\0")
        | NAME_END * (space or byte in b"/>")
        | ATTRIBUTE_END * (space or byte in b"/>=")
        | UNQUOTED_END * (space or byte == ord(">"))
        | LETTER * text.isalpha()
        | DIGIT * text.isdigit()
    )


CLASS = np.array([_class_of(byte) for byte in range(256)], np.uint8)

# The same for 64 bytes at once.
space_flags = flags_of_any(SPACE_BYTES)
text_end_flags = flags_of_any(b"<&\0")
name_end_flags = flags_of_any(SPACE_BYTES + b"/>")
attribute_end_flags = flags_of_any(SPACE_BYTES + b"/>=")

_LOWER = np.uint64(0x2020202020202020)


@kernel_part
def find_byte(block: Bytes, start: Int, stop: Int, wanted: Int) -> Int:
    """Return the first position of a byte in block[start:stop], or stop."""
    place = int64(WIDTH)
    while start < stop and place == WIDTH:
        place = first_of(byte_flags(block, start, wanted))
        start += place
    return min(start, stop)


@kernel_part
def last_bytes(block: Bytes, start: Int, run: Int) -> Word:
    """Return the last eight, or all, of a run of bytes that is not empty, big-endian."""
    word = swap_bytes(load_word(block, start + max(run - 8, int64(0))))
    return word >> uint64(64 - 8 * min(run, int64(8)))


@kernel_part
def last_letters(block: Bytes, start: Int, run: Int) -> Word:
    """Return the same with bit 5 of each byte set, which lowers ASCII letters."""
    word = swap_bytes(load_word(block, start + max(run - 8, int64(0)))) | _LOWER
    return word >> uint64(64 - 8 * min(run, int64(8)))
