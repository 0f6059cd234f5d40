"""What a byte means to the page scanner: one table of flags, so that a byte costs one look-up.

The kernels that use a table have it in their machine code; kernel.py keys the kernels' cache by all
sources of this room, so that no kernel runs with a table of yesterday.
"""

import numpy as np

from hss_stream.signals.kernel import Bytes, Int, first_flag, kernel_part, load_byte, load_word

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

_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_ZERO = np.uint64(0)


@kernel_part
def find_byte(body: Bytes, start: Int, stop: Int, wanted: Int) -> Int:
    """Return the first position of a byte in body[start:stop], or stop; eight bytes a step."""
    pattern = np.uint64(wanted) * _ONES
    last = stop - 8
    found = False
    while start <= last and not found:
        word = load_word(body, start) ^ pattern
        flags = (word - _ONES) & ~word & _TOPS
        if flags != _ZERO:
            start += first_flag(flags)
            found = True
        else:
            start += 8
    if not found:
        while start < stop and load_byte(body, start) != wanted:
            start += 1
    return start
