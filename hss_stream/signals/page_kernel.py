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
from hss_stream.signals.style_sketch import (
    BLOCK_BYTES,
    FILLER,
    GRAM_BYTES,
    SLOTS,
    compact_noise,
    fill_block,
    forget_noise,
    roll_noise,
)
from hss_stream.signals.tag_states import (
    close_tag,
    read_attribute,
    read_name,
    read_open,
    read_usual_attribute,
    read_value,
)
from hss_stream.signals.text_states import choose_text_mode, read_reference, read_text
from hss_stream.signals.wide_bytes import KEEPS_WIDE, WIDTH, below, change_flags, count_of, keep_flagged


@kernel_part
def sketch_paper(block: Bytes, size: Int, state: Integers, slots: Words, noise: Bytes) -> None:
    """Take the noise of a block into the sketch of the paper."""
    end = compact_noise(block, int64(0), size, noise, int64(GRAM_BYTES))
    count = state[ps.PAPER_COUNT]
    state[ps.PAPER_HASH] = int64(roll_noise(noise, end, uint64(state[ps.PAPER_HASH]), count, slots, int64(0)))
    state[ps.PAPER_COUNT] = count + end - GRAM_BYTES


@kernel_part
def collapse_runs(noise: Bytes, stop: Int, runs: Bytes) -> Int:
    """Write noise[1:stop] after the first 32 bytes of `runs`, without the bytes that equal the one before.

    Return the new end. The last byte moves to the front, to be the one before the next.
    """
    at = int64(1)
    end = int64(GRAM_BYTES)
    while KEEPS_WIDE and at < stop:
        flags = change_flags(noise, at) & below(stop - at)
        keep_flagged(noise, at, flags, runs, end)
        end += count_of(flags)
        at += WIDTH
    while at < stop:
        byte = load_byte(noise, at)
        store_byte(runs, end, byte)
        end += int64(byte != load_byte(noise, at - 1))
        at += 1
    store_byte(noise, int64(0), load_byte(noise, stop - 1))
    return end


@kernel_part
def sketch_markup(block: Bytes, size: Int, state: Integers, slots: Words, markup: Bytes, runs: Bytes) -> None:
    """Take the noise of a block's tags into the sketch of format 2, runs of one byte collapsed."""
    found = state[ps.MARKUP_END]
    if ps.BEFORE_ATTRIBUTE <= state[ps.STATE] <= ps.CLOSE:
        found = compact_noise(block, state[ps.MARKUP_FROM], size, markup, found)
    end = collapse_runs(markup, found, runs)
    count = state[ps.MARKUP_COUNT]
    state[ps.MARKUP_HASH] = int64(
        roll_noise(runs, end, uint64(state[ps.MARKUP_HASH]), count, slots, int64(SLOTS))
    )
    state[ps.MARKUP_COUNT] = count + end - GRAM_BYTES
    state[ps.RUNS_END] = end


@kernel_part
def begin_page(state: Integers, noise: Bytes, markup: Bytes, runs: Bytes) -> None:
    """Set what is not zero at the beginning of a page."""
    state[ps.AFTER_SPACE] = 1
    forget_noise(noise)
    forget_noise(runs)
    store_byte(markup, int64(0), FILLER)


@kernel_part
def read_rare(
    block: Bytes,
    start: Int,
    stop: Int,
    scan: Int,
    state: Integers,
    text: Bytes,
    scratch: Bytes,
    markup: Bytes,
) -> Step:
    """Read on in one of the states that few bytes are in; return position and next state."""
    if scan == ps.REFERENCE:
        start, scan = read_reference(block, start, stop, state, text)
    elif scan <= ps.LAST_RAW_STATE:
        start, scan = read_raw(block, start, stop, scan, state, text, scratch, markup)
    else:
        start, scan = read_declaration(block, start, stop, scan, state, text)
    return start, scan


_BUFFER = types.uint8[::1]


@kernel(
    types.void(
        BYTES_IN,
        types.int64[::1],
        types.uint64[::1],
        _BUFFER,
        _BUFFER,
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
    slots: Words,
    block: Bytes,
    noise: Bytes,
    markup: Bytes,
    runs: Bytes,
    tags: Shorts,
    lengths: Integers,
    text: Bytes,
    links: Bytes,
    scratch: Bytes,
) -> None:
    """Scan the next chunk of a page; everything that goes on in the next one is in the arguments."""
    left = int64(body.size)
    if state[ps.SEEN_BYTES] == 0:
        begin_page(state, noise, markup, runs)
    while left > 0:
        stop = min(left, BLOCK_BYTES)
        fill_block(body, body.size - left, stop, block)
        left -= stop
        sketch_paper(block, stop, state, slots, noise)
        if state[ps.MARKUP_FROM] != ps.NOWHERE:
            state[ps.MARKUP_FROM] = 0
        state[ps.MARKUP_END] = 1
        choose_text_mode(state)
        scan = state[ps.STATE]
        start = int64(0)
        while start < stop:
            state[ps.STEPS] += 1
            # Not one choice but a row of them, in the order they usually follow each other: each is
            # predicted well, where one jump to an unforeseeable state costs a fifth of the speed.
            if scan == ps.TEXT:
                start, scan = read_text(block, start, stop, state, text)
            if scan == ps.OPEN and start < stop:
                start, scan = read_open(block, start, scan, state, text)
            if scan == ps.END_OPEN and start < stop:
                start, scan = read_open(block, start, scan, state, text)
            if scan == ps.NAME and start < stop:
                start, scan = read_name(block, start, stop, state, markup)
            while scan >= ps.BEFORE_ATTRIBUTE and scan < ps.CLOSE and start < stop:
                before = start
                if scan == ps.BEFORE_ATTRIBUTE:
                    start, scan = read_usual_attribute(block, start, stop, state, scratch, links)
                if start == before:
                    start, scan = read_attribute(block, start, stop, scan, state)
                if scan >= ps.DOUBLE_QUOTED and scan < ps.CLOSE and start < stop:
                    start, scan = read_value(block, start, stop, scan, state, scratch, links)
            if scan == ps.CLOSE and start < stop:
                start = close_tag(block, start, state, text, tags, lengths, links, markup)
                scan = int64(ps.TEXT)
            elif scan > ps.CLOSE and start < stop:
                start, scan = read_rare(block, start, stop, scan, state, text, scratch, markup)
        state[ps.STATE] = scan
        sketch_markup(block, stop, state, slots, markup, runs)
    state[ps.SEEN_BYTES] += body.size
