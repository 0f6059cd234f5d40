"""The few attribute values the scanner looks into: links, the base address, and styles that hide."""

import numpy as np
from numba import int64, types

from hss_stream.signals import page_state as ps
from hss_stream.signals.byte_classes import CLASS, SPACE
from hss_stream.signals.entities import put_code_point
from hss_stream.signals.kernel import Bytes, Int, Integers, kernel, kernel_part, load_byte, store_byte
from hss_stream.signals.text_states import extend_reference, resolve_reference
from hss_stream.signals.wide_bytes import WIDTH, below, copy_wide, link_flags

_AMPERSAND, _SEMICOLON = ord("&"), ord(";")
_ZERO = np.uint64(0)
# Links are kept one after the other, each ended by a line feed, which no link contains.
LINK_END = ord("\n")

HIDING_STYLES = (b"display:none", b"visibility:hidden")
_NO_DISPLAY = np.frombuffer(HIDING_STYLES[0], np.uint8).copy()
_NOT_VISIBLE = np.frombuffer(HIDING_STYLES[1], np.uint8).copy()


@kernel_part
def decode_link(scratch: Bytes, length: Int, state: Integers, out: Bytes, end: Int) -> Int:
    """Write scratch[:length] to out from `end` on, references decoded; return the new end.

    Tabs, line feeds, carriage returns and NUL vanish, as do spaces and controls at both ends.
    """
    first = end
    at = 0
    while at < length:
        byte = load_byte(scratch, at)
        at += 1
        point = byte
        is_reference = False
        if byte == _AMPERSAND:
            state[ps.REFERENCE_KIND] = ps.NAMED
            state[ps.REFERENCE_LENGTH] = 0
            state[ps.REFERENCE_KEY] = 0
            state[ps.REFERENCE_NUMBER] = 0
            ahead = at
            while ahead < length and extend_reference(load_byte(scratch, ahead), state):
                ahead += 1
            ending = load_byte(scratch, ahead) if ahead < length else 0
            resolved = resolve_reference(ending, True, state)
            if resolved > 0:
                point = resolved
                is_reference = True
                at = ahead + (ending == _SEMICOLON)
        if point > 32 or (point == 32 and end > first):
            if is_reference:
                end = put_code_point(out, end, point)
            else:
                store_byte(out, end, byte)
                end += 1
        elif 0 < point < 32 and point != 9 and point != 10 and point != 13 and end > first:
            store_byte(out, end, point)
            end += 1
    while end > first and load_byte(out, end - 1) <= 32:
        end -= 1
    return end


@kernel_part
def take_plain_link(block: Bytes, start: Int, stop: Int, state: Integers, links: Bytes) -> Int:
    """Take a link in which there is nothing to decode; return whether it was one."""
    end = state[ps.LINKS_LENGTH]
    is_plain = stop - start <= ps.MAX_VALUE and end + stop - start < ps.MAX_LINKS
    length = stop - start if is_plain else int64(0)
    while is_plain and start < stop:
        copy_wide(block, start, links, end)
        is_plain = link_flags(block, start) & below(stop - start) == _ZERO
        start += WIDTH
        end += WIDTH
    if is_plain:
        state[ps.PENDING_LENGTH] = length
    return is_plain


@kernel_part
def contains(scratch: Bytes, length: Int, wanted: Bytes) -> bool:
    """Tell whether scratch[:length] contains the wanted bytes."""
    found = False
    for start in range(length - wanted.size + 1):
        same = 0
        while same < wanted.size and load_byte(scratch, start + same) == load_byte(wanted, same):
            same += 1
        if same == wanted.size:
            found = True
            break
    return found


@kernel(types.void(types.uint8[::1], types.int64[::1], types.uint8[::1]), allocates=False)
def take_value(scratch: Bytes, state: Integers, links: Bytes) -> None:
    """Take the finished value of an attribute that matters, at the front of scratch."""
    length = state[ps.VALUE_LENGTH]
    kind = state[ps.ATTRIBUTE_KIND]
    if kind == ps.STYLE_ATTRIBUTE:
        end = 0
        for at in range(length):
            byte = load_byte(scratch, at)
            if not load_byte(CLASS, byte) & SPACE:
                store_byte(scratch, end, byte | 0x20)
                end += 1
        if contains(scratch, end, _NO_DISPLAY) or contains(scratch, end, _NOT_VISIBLE):
            state[ps.TAG_HIDES] = 1
    elif length <= ps.MAX_VALUE:
        if kind == ps.LINK:
            # Decoding never lengthens, so what fits as written fits as read.
            first = state[ps.LINKS_LENGTH]
            if first + length < ps.MAX_LINKS:
                state[ps.PENDING_LENGTH] = decode_link(scratch, length, state, links, first) - first
        # Only the first base address counts; until there is one its room is free to write to.
        elif state[ps.BASE_LENGTH] == 0:
            end = decode_link(scratch, length, state, scratch, ps.BASE_AT)
            state[ps.PENDING_LENGTH] = end - ps.BASE_AT
