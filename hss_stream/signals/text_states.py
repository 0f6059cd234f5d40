"""The scanner's parts for text: copying it with white space collapsed, and character references."""

import numpy as np
from numba import int64, uint64

from hss_stream.signals import page_state as ps
from hss_stream.signals.byte_classes import (
    ALPHANUMERIC,
    CLASS,
    DIGIT,
    SPACE,
    TEXT_END,
    find_byte,
    last_bytes,
    space_flags,
    text_end_flags,
)
from hss_stream.signals.entities import (
    MAX_NAME,
    MAX_NUMBER,
    named_code_point,
    numbered_code_point,
    put_code_point,
)
from hss_stream.signals.kernel import Bytes, Int, Integers, Step, kernel_part, load_byte, store_byte
from hss_stream.signals.tag_names import LAST_UNSEEN_RAW, SCRIPT, TITLE, XMP
from hss_stream.signals.wide_bytes import (
    KEEPS_WIDE,
    WIDTH,
    below,
    byte_flags,
    count_of,
    first_of,
    keep_text,
    word_flags,
)

_ONE, _BYTE = np.uint64(1), np.uint64(8)
_LESS, _AMPERSAND, _SEMICOLON, _HASH = ord("<"), ord("&"), ord(";"), ord("#")
_DASH, _GREATER, _BLANK, _NEWLINE = ord("-"), ord(">"), ord(" "), ord("\n")
_NO_BREAK_SPACE = 0xA0


@kernel_part
def choose_text_mode(state: Integers) -> None:
    """Set what becomes of text from here on: kept, counted as hidden, or left out."""
    kind = state[ps.RAW_KIND]
    if (
        1 <= kind <= LAST_UNSEEN_RAW
        or (kind == TITLE and state[ps.TITLE_STATE] != ps.IN_TITLE)
        or state[ps.TEXT_LENGTH] >= ps.MAX_TEXT + ps.TEXT_MARGIN
    ):
        state[ps.TEXT_MODE] = ps.SKIP
    elif state[ps.HIDDEN_DEPTH] > 0:
        state[ps.TEXT_MODE] = ps.COUNT
    else:
        state[ps.TEXT_MODE] = ps.COPY


@kernel_part
def put_literal(byte: Int, state: Integers, text: Bytes) -> None:
    """Treat one byte that is not white space as text."""
    if state[ps.TEXT_MODE] == ps.COPY:
        store_byte(text, state[ps.TEXT_LENGTH], byte)
        state[ps.TEXT_LENGTH] += 1
        state[ps.AFTER_SPACE] = 0
    elif state[ps.TEXT_MODE] == ps.COUNT:
        state[ps.HIDDEN_BYTES] += 1


@kernel_part
def break_line(state: Integers, text: Bytes) -> None:
    """Separate words at the border of a block: the white space there becomes one line feed."""
    if state[ps.TEXT_MODE] == ps.COPY:
        length = state[ps.TEXT_LENGTH]
        if state[ps.AFTER_SPACE] == 0:
            store_byte(text, length, _NEWLINE)
            state[ps.TEXT_LENGTH] = length + 1
            state[ps.AFTER_SPACE] = 1
        elif length > 0:
            store_byte(text, length - 1, _NEWLINE)


@kernel_part
def copy_text(block: Bytes, start: Int, stop: Int, state: Integers, text: Bytes) -> Int:
    """Copy text up to `<`, `&` or NUL, white space collapsed; return where it stopped."""
    length = state[ps.TEXT_LENGTH]
    after_space = state[ps.AFTER_SPACE]
    run = int64(WIDTH if KEEPS_WIDE else 0)
    while start < stop and run == WIDTH:
        run = min(first_of(text_end_flags(block, start)), stop - start)
        spaces = space_flags(block, start)
        kept = ~(spaces & ((spaces << _ONE) | uint64(after_space))) & below(run)
        keep_text(block, start, kept, spaces, text, length)
        length += count_of(kept)
        last = int64((spaces >> uint64((run - 1) & 63)) & _ONE)
        after_space = last if run > 0 else after_space
        start += run
    while not KEEPS_WIDE and start < stop:
        byte = load_byte(block, start)
        flags = load_byte(CLASS, byte)
        if flags & TEXT_END:
            break
        space = flags & SPACE
        store_byte(text, length, byte - space * (byte - _BLANK))
        length += 1 - (space & after_space)
        after_space = space
        start += 1
    state[ps.TEXT_LENGTH] = length
    state[ps.AFTER_SPACE] = after_space
    return start


@kernel_part
def count_text(block: Bytes, start: Int, stop: Int, state: Integers) -> Int:
    """Count hidden text up to `<`, without its white space; return where it stopped."""
    run = int64(WIDTH)
    while start < stop and run == WIDTH:
        run = min(first_of(byte_flags(block, start, _LESS)), stop - start)
        state[ps.HIDDEN_BYTES] += run - count_of(space_flags(block, start) & below(run))
        start += run
    return start


@kernel_part
def skip_escaped_script(block: Bytes, start: Int, stop: Int, state: Integers) -> Int:
    """Go to the next `<` of a script inside `<!--`; `-->` on the way ends that."""
    dashes = state[ps.DASHES]
    while start < stop:
        byte = load_byte(block, start)
        if byte == _LESS:
            dashes = 0
            break
        if byte == _GREATER and dashes >= 2:
            state[ps.ESCAPE] = 0
        dashes = dashes + 1 if byte == _DASH else 0
        start += 1
    state[ps.DASHES] = dashes
    return start


@kernel_part
def put_reference(point: Int, state: Integers, text: Bytes) -> None:
    """Put what a character reference stands for into the text, where it began."""
    length = state[ps.ROLL_BACK]
    state[ps.AFTER_SPACE] = state[ps.ROLL_BACK_SPACE]
    if point == _NO_BREAK_SPACE or point == _BLANK or 9 <= point <= 13:
        store_byte(text, length, _BLANK)
        length += 1 - state[ps.AFTER_SPACE]
        state[ps.AFTER_SPACE] = 1
    else:
        length = put_code_point(text, length, point)
        state[ps.AFTER_SPACE] = 0
    state[ps.TEXT_LENGTH] = length


@kernel_part
def read_known_reference(block: Bytes, start: Int, stop: Int, state: Integers, text: Bytes) -> Int:
    """Read the rest of a named reference that lies whole in the block; return its length, or 0."""
    run = first_of(~word_flags(block, start))
    length = int64(0)
    if 0 < run <= MAX_NAME and start + run < stop and load_byte(block, start + run) == _SEMICOLON:
        point = named_code_point(last_bytes(block, start, run), True)
        if point > 0:
            put_reference(point, state, text)
            length = run + 1
    return length


@kernel_part
def read_text(block: Bytes, start: Int, stop: Int, state: Integers, text: Bytes) -> Step:
    """Read text, also raw text, up to what ends it; return position and next state."""
    mode = state[ps.TEXT_MODE]
    if mode == ps.COPY:
        start = copy_text(block, start, stop, state, text)
    elif mode == ps.COUNT:
        start = count_text(block, start, stop, state)
    elif state[ps.RAW_KIND] == SCRIPT and state[ps.ESCAPE] > 0:
        start = skip_escaped_script(block, start, stop, state)
    else:
        start = find_byte(block, start, stop, _LESS)
    after = int64(ps.TEXT)
    if start < stop:
        byte = load_byte(block, start)
        start += 1
        if byte == _LESS:
            after = int64(ps.OPEN) if state[ps.RAW_KIND] == 0 else int64(ps.RAW_OPEN)
        elif byte == _AMPERSAND:
            state[ps.ROLL_BACK] = state[ps.TEXT_LENGTH]
            state[ps.ROLL_BACK_SPACE] = state[ps.AFTER_SPACE]
            known = int64(0)
            if mode == ps.COPY and state[ps.RAW_KIND] < XMP:
                known = read_known_reference(block, start, stop, state, text)
                start += known
            if known == 0:
                put_literal(byte, state, text)
            if known == 0 and state[ps.RAW_KIND] < XMP:
                after = int64(ps.REFERENCE)
                state[ps.REFERENCE_KIND] = ps.NAMED
                state[ps.REFERENCE_LENGTH] = 0
                state[ps.REFERENCE_KEY] = 0
                state[ps.REFERENCE_NUMBER] = 0
    return start, after


@kernel_part
def extend_reference(byte: Int, state: Integers) -> bool:
    """Take one more byte into a character reference; return whether it belongs to it."""
    flags = load_byte(CLASS, byte)
    kind = state[ps.REFERENCE_KIND]
    length = state[ps.REFERENCE_LENGTH]
    lower = byte | 0x20
    belongs = True
    if kind == ps.NAMED and length == 0 and byte == _HASH:
        state[ps.REFERENCE_KIND] = ps.NUMBER_SIGN
    elif kind == ps.NUMBER_SIGN and lower == ord("x"):
        state[ps.REFERENCE_KIND] = ps.HEX_SIGN
    elif kind == ps.NAMED and length < MAX_NAME and flags & ALPHANUMERIC:
        state[ps.REFERENCE_KEY] = int64((uint64(state[ps.REFERENCE_KEY]) << _BYTE) | uint64(byte))
    elif (kind == ps.NUMBER_SIGN or kind == ps.DECIMAL) and flags & DIGIT and length < MAX_NUMBER:
        state[ps.REFERENCE_KIND] = ps.DECIMAL
        state[ps.REFERENCE_NUMBER] = min(state[ps.REFERENCE_NUMBER] * 10 + byte - 48, 0x110000)
    elif (
        kind >= ps.HEX_SIGN
        and length < MAX_NUMBER
        and (flags & DIGIT or (flags & ALPHANUMERIC and lower <= ord("f")))
    ):
        digit = byte - 48 if flags & DIGIT else lower - 87
        state[ps.REFERENCE_KIND] = ps.HEXADECIMAL
        state[ps.REFERENCE_NUMBER] = min(state[ps.REFERENCE_NUMBER] * 16 + digit, 0x110000)
    else:
        belongs = False
    state[ps.REFERENCE_LENGTH] = length + belongs
    return belongs


@kernel_part
def resolve_reference(ending: Int, in_attribute: Int, state: Integers) -> Int:
    """Return the code point of the reference that a byte ended, or 0 where it stays as written."""
    kind = state[ps.REFERENCE_KIND]
    complete = ending == _SEMICOLON
    point = int64(0)
    if kind == ps.NAMED:
        if complete or not (in_attribute and ending == ord("=")):
            point = named_code_point(uint64(state[ps.REFERENCE_KEY]), complete)
    elif (kind == ps.DECIMAL or kind == ps.HEXADECIMAL) and (
        complete or state[ps.REFERENCE_LENGTH] < MAX_NUMBER
    ):
        point = numbered_code_point(state[ps.REFERENCE_NUMBER])
    return point


@kernel_part
def read_reference(block: Bytes, start: Int, stop: Int, state: Integers, text: Bytes) -> Step:
    """Read a character reference in text: it is copied as it comes, and replaced once it is whole."""
    after = int64(ps.REFERENCE)
    while start < stop and after == ps.REFERENCE:
        byte = load_byte(block, start)
        if extend_reference(byte, state):
            put_literal(byte, state, text)
            start += 1
        else:
            after = int64(ps.TEXT)
            point = resolve_reference(byte, False, state)
            if point > 0:
                start += byte == _SEMICOLON
                put_reference(point, state, text)
    return start, after
