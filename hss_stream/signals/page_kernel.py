"""One pass over the bytes of a page: both sketches, tags, visible text and links, a block at a time."""

from numba import int64, types, uint64

from hss_stream.signals import page_state as ps
from hss_stream.signals.kernel import (
    BYTES_IN,
    Bytes,
    Int,
    Integers,
    Shorts,
    Step,
    Words,
    kernel,
    kernel_part,
    load_byte,
    store_byte,
)
from hss_stream.signals.raw_states import read_declaration, read_raw
from hss_stream.signals.style_sketch import BLOCK_BYTES, GRAM_BYTES, compact_noise, roll_noise
from hss_stream.signals.tag_states import (
    close_tag,
    read_attribute,
    read_name,
    read_open,
    read_value,
)
from hss_stream.signals.text_states import choose_text_mode, read_reference, read_text


@kernel_part
def sketch_paper(body: Bytes, start: Int, stop: Int, state: Integers, slots: Words, noise: Bytes) -> None:
    """Take the noise of a block into the sketch of the paper."""
    end = compact_noise(body, start, stop, noise, GRAM_BYTES)
    rolling = roll_noise(noise, end, uint64(state[ps.PAPER_HASH]), state[ps.PAPER_COUNT], slots)
    state[ps.PAPER_HASH] = int64(rolling)
    state[ps.PAPER_COUNT] += end - GRAM_BYTES


@kernel_part
def sketch_markup(body: Bytes, stop: Int, state: Integers, slots: Words, markup: Bytes) -> None:
    """Take the noise of a block's tags into the sketch of format 2, runs of one byte collapsed."""
    found = state[ps.MARKUP_END]
    if ps.BEFORE_ATTRIBUTE <= state[ps.STATE] <= ps.CLOSE:
        found = compact_noise(body, state[ps.MARKUP_FROM], stop, markup, found)
    last = state[ps.MARKUP_LAST]
    end = int64(GRAM_BYTES)
    for index in range(GRAM_BYTES, found):
        byte = load_byte(markup, index)
        store_byte(markup, end, byte)
        end += int64(byte != last)
        last = byte
    rolling = roll_noise(markup, end, uint64(state[ps.MARKUP_HASH]), state[ps.MARKUP_COUNT], slots)
    state[ps.MARKUP_LAST] = last
    state[ps.MARKUP_END] = end
    state[ps.MARKUP_HASH] = int64(rolling)
    state[ps.MARKUP_COUNT] += end - GRAM_BYTES


@kernel_part
def read_rare(
    body: Bytes, start: Int, stop: Int, scan: Int, state: Integers, text: Bytes, scratch: Bytes, markup: Bytes
) -> Step:
    """Read on in one of the states that few bytes are in; return position and next state."""
    if scan == ps.REFERENCE:
        start, scan = read_reference(body, start, stop, state, text)
    elif scan <= ps.LAST_RAW_STATE:
        start, scan = read_raw(body, start, stop, scan, state, text, scratch, markup)
    else:
        start, scan = read_declaration(body, start, stop, scan, state, text)
    return start, scan


_BUFFER = types.uint8[::1]


@kernel(
    types.void(
        BYTES_IN,
        types.int64[::1],
        types.uint64[::1],
        types.uint64[::1],
        _BUFFER,
        _BUFFER,
        types.uint16[::1],
        types.int64[::1],
        _BUFFER,
        _BUFFER,
        _BUFFER,
    ),
    allocates=False,
)
def scan_chunk(
    body: Bytes,
    state: Integers,
    paper_slots: Words,
    markup_slots: Words,
    noise: Bytes,
    markup: Bytes,
    tags: Shorts,
    lengths: Integers,
    text: Bytes,
    links: Bytes,
    scratch: Bytes,
) -> None:
    """Scan the next chunk of a page; everything that goes on in the next one is in the arguments."""
    size = body.size
    start = int64(0)
    while start < size:
        stop = min(size, start + BLOCK_BYTES)
        sketch_paper(body, start, stop, state, paper_slots, noise)
        if state[ps.MARKUP_FROM] != ps.NOWHERE:
            state[ps.MARKUP_FROM] = start
        state[ps.MARKUP_END] = GRAM_BYTES
        choose_text_mode(state)
        scan = state[ps.STATE]
        while start < stop:
            # Not one choice but a row of them, in the order they usually follow each other: each is
            # predicted well, where one jump to an unforeseeable state costs a fifth of the speed.
            if scan == ps.TEXT:
                start, scan = read_text(body, start, stop, state, text)
            if scan == ps.OPEN and start < stop:
                start, scan = read_open(body, start, scan, state, text)
            if scan == ps.END_OPEN and start < stop:
                start, scan = read_open(body, start, scan, state, text)
            if scan == ps.NAME and start < stop:
                start, scan = read_name(body, start, stop, state, markup)
            while scan >= ps.BEFORE_ATTRIBUTE and scan < ps.CLOSE and start < stop:
                start, scan = read_attribute(body, start, stop, scan, state)
                if scan >= ps.DOUBLE_QUOTED and scan < ps.CLOSE and start < stop:
                    start, scan = read_value(body, start, stop, scan, state, scratch, links)
            if scan == ps.CLOSE and start < stop:
                start = close_tag(body, start, state, text, tags, lengths, links, markup)
                scan = int64(ps.TEXT)
            elif scan > ps.CLOSE and start < stop:
                start, scan = read_rare(body, start, stop, scan, state, text, scratch, markup)
        state[ps.STATE] = scan
        sketch_markup(body, stop, state, markup_slots, markup)
    state[ps.SEEN_BYTES] += size
