"""The scanner's parts for tags: name, attributes, values, and what a closed tag changes."""

import numpy as np
from numba import int64, uint64

from hss_stream.signals import page_state as ps
from hss_stream.signals.attribute_values import LINK_END, take_plain_link, take_value
from hss_stream.signals.byte_classes import (
    ATTRIBUTE_END,
    CLASS,
    LETTER,
    NAME_END,
    SPACE,
    UNQUOTED_END,
    attribute_end_flags,
    find_byte,
    last_letters,
    name_end_flags,
)
from hss_stream.signals.kernel import (
    Bytes,
    Int,
    Integers,
    Shorts,
    Step,
    Word,
    kernel_part,
    load_byte,
    load_item,
    store_byte,
    store_item,
)
from hss_stream.signals.style_sketch import FIRST, SECOND, compact_noise
from hss_stream.signals.tag_names import (
    BLOCK_FLAG,
    FIRST_UNKNOWN,
    FORMATTING_FLAG,
    KEY_AT,
    LENGTH_FACTOR,
    LOOKUP_BITS,
    NAME_MULTIPLIER,
    RAW_SHIFT,
    SELF_ENDING_FLAG,
    SPECIAL_FLAG,
    STYLE,
    TAG_A,
    TAG_AREA,
    TAG_AT,
    TAG_BASE,
    TAG_FLAGS,
    TAG_FRAME,
    TAG_IFRAME,
    TAG_TEMPLATE,
    TITLE,
    UNKNOWN_HASHES,
    VOID_FLAG,
)
from hss_stream.signals.text_states import break_line, choose_text_mode, put_literal
from hss_stream.signals.wide_bytes import WIDTH, copy_wide, first_of

_BYTE, _HALF = np.uint64(8), np.uint64(32)
_LENGTH_FACTOR = np.uint64(LENGTH_FACTOR)
_LOOKUP_SHIFT = np.uint64(64 - LOOKUP_BITS)
_LESS, _GREATER, _SLASH, _EQUALS = ord("<"), ord(">"), ord("/"), ord("=")
_BANG, _QUESTION, _DOUBLE, _SINGLE = ord("!"), ord("?"), ord('"'), ord("'")
_HREF = np.uint64(int.from_bytes(b"href", "big"))
_SRC = np.uint64(int.from_bytes(b"src", "big"))
_STYLE = np.uint64(int.from_bytes(b"style", "big"))
_HIDDEN = np.uint64(int.from_bytes(b"hidden", "big"))


@kernel_part
def tag_of(key: Word, length: Int) -> Int:
    """Return the id of a tag name from its last eight bytes and its length."""
    whole = key + np.uint64(length) * _LENGTH_FACTOR
    place = int64((whole * NAME_MULTIPLIER) >> _LOOKUP_SHIFT)
    tag = load_item(TAG_AT, place)
    if load_item(KEY_AT, place) != whole:
        mixed = whole * FIRST
        mixed ^= mixed >> _HALF
        mixed *= SECOND
        number = (int64(mixed >> _HALF) * UNKNOWN_HASHES) >> 32
        tag = FIRST_UNKNOWN + number * ps.LENGTH_BINS + min(length, ps.LENGTH_BINS) - 1
    return tag


@kernel_part
def begin_tag(is_end: Int, state: Integers) -> None:
    """Begin a tag at its name."""
    state[ps.MARKUP_FROM] = ps.NOWHERE
    state[ps.IS_END] = is_end
    state[ps.NAME_KEY] = 0
    state[ps.NAME_LENGTH] = 0
    state[ps.SELF_CLOSING] = 0
    state[ps.TAG_HIDES] = 0
    state[ps.ATTRIBUTES_SEEN] = 0
    state[ps.PENDING_LENGTH] = 0


@kernel_part
def end_name(start: Int, key: Word, length: Int, state: Integers, markup: Bytes) -> None:
    """Take a tag's name, which ends here; unless it only formats, its noise begins: `<` or `</`."""
    tag = tag_of(key, length)
    state[ps.TAG] = tag
    state[ps.NAME_LENGTH] = length
    if not load_item(TAG_FLAGS, tag) & FORMATTING_FLAG:
        end = state[ps.MARKUP_END]
        store_byte(markup, end, _LESS)
        store_byte(markup, end + 1, _SLASH)
        state[ps.MARKUP_END] = end + 1 + state[ps.IS_END]
        state[ps.MARKUP_FROM] = start


@kernel_part
def read_open(block: Bytes, start: Int, scan: Int, state: Integers, text: Bytes) -> Step:
    """Decide what follows `<` or `</`; return position and next state."""
    byte = load_byte(block, start)
    is_letter = load_byte(CLASS, byte) & LETTER
    after = int64(ps.BOGUS)
    if is_letter:
        after = int64(ps.NAME)
        begin_tag(int64(scan == ps.END_OPEN), state)
    elif scan == ps.END_OPEN:
        if byte == _GREATER:
            after = int64(ps.TEXT)
            start += 1
    elif byte == _SLASH:
        after = int64(ps.END_OPEN)
        start += 1
    elif byte == _BANG:
        after = int64(ps.DECLARATION)
        state[ps.MATCHED] = 0
        start += 1
    elif byte != _QUESTION:
        after = int64(ps.TEXT)
        put_literal(_LESS, state, text)
    return start, after


@kernel_part
def choose_attribute(key: Word, state: Integers) -> None:
    """Set what the value of this attribute is to the scanner; of several of a kind the first counts."""
    kind = int64(ps.OTHER_ATTRIBUTE)
    tag = state[ps.TAG]
    if key == _HREF:
        if tag == TAG_A or tag == TAG_AREA:
            kind = int64(ps.LINK)
        elif tag == TAG_BASE:
            kind = int64(ps.BASE)
    elif key == _SRC:
        if tag == TAG_IFRAME or tag == TAG_FRAME:
            kind = int64(ps.LINK)
    elif key == _STYLE:
        kind = int64(ps.STYLE_ATTRIBUTE)
    elif key == _HIDDEN:
        state[ps.TAG_HIDES] = 1
    if state[ps.IS_END] or (state[ps.ATTRIBUTES_SEEN] >> kind) & 1:
        kind = int64(ps.OTHER_ATTRIBUTE)
    state[ps.ATTRIBUTES_SEEN] |= 1 << kind if kind else 0
    state[ps.ATTRIBUTE_KIND] = kind


@kernel_part
def keep_value(block: Bytes, start: Int, stop: Int, state: Integers, scratch: Bytes) -> None:
    """Keep the next bytes of a value that matters, up to one more than a link may have."""
    if state[ps.ATTRIBUTE_KIND] != ps.OTHER_ATTRIBUTE:
        length = state[ps.VALUE_LENGTH]
        count = min(stop - start, ps.MAX_VALUE + 1 - length)
        state[ps.VALUE_LENGTH] = length + count
        while count > 0:
            copy_wide(block, start, scratch, length)
            start += WIDTH
            length += WIDTH
            count -= WIDTH


@kernel_part
def read_value(
    block: Bytes, start: Int, stop: Int, scan: Int, state: Integers, scratch: Bytes, links: Bytes
) -> Step:
    """Read an attribute value to its end; return position and next state."""
    first = start
    if scan == ps.UNQUOTED:
        while start < stop and not load_byte(CLASS, load_byte(block, start)) & UNQUOTED_END:
            start += 1
    else:
        start = find_byte(block, start, stop, _DOUBLE if scan == ps.DOUBLE_QUOTED else _SINGLE)
    keep_value(block, first, start, state, scratch)
    if start < stop:
        if state[ps.ATTRIBUTE_KIND] != ps.OTHER_ATTRIBUTE:
            take_value(scratch, state, links)
        start += scan != ps.UNQUOTED
        scan = int64(ps.BEFORE_ATTRIBUTE)
    return start, scan


@kernel_part
def read_name(block: Bytes, start: Int, stop: Int, state: Integers, markup: Bytes) -> Step:
    """Read a tag name; return position and next state."""
    first = start
    after = int64(ps.NAME)
    key = uint64(state[ps.NAME_KEY])
    run = first_of(name_end_flags(block, start))
    if state[ps.NAME_LENGTH] == 0 and run < WIDTH and start + run < stop:
        key = last_letters(block, start, run)
        start += run
        after = int64(ps.BEFORE_ATTRIBUTE)
    while after == ps.NAME and start < stop:
        byte = load_byte(block, start)
        if load_byte(CLASS, byte) & NAME_END:
            after = int64(ps.BEFORE_ATTRIBUTE)
            break
        key = (key << _BYTE) | uint64(byte | 0x20)
        start += 1
    length = state[ps.NAME_LENGTH] + start - first
    state[ps.NAME_KEY] = int64(key)
    state[ps.NAME_LENGTH] = length
    if after != ps.NAME:
        end_name(start, key, length, state, markup)
    return start, after


@kernel_part
def read_usual_attribute(
    block: Bytes, start: Int, stop: Int, state: Integers, scratch: Bytes, links: Bytes
) -> Step:
    """Read one ` name="value"`, the form most attributes have; return position and next state.

    The position stays where it is when the attribute has another form, or the block ends in it too early.
    """
    name = start + 1
    run = first_of(attribute_end_flags(block, name))
    end = name + run
    quote = load_byte(block, end + 1)
    after = int64(ps.BEFORE_ATTRIBUTE)
    if (
        load_byte(block, start) == ord(" ")
        and 0 < run < WIDTH
        and load_byte(block, end) == _EQUALS
        and (quote == _DOUBLE or quote == _SINGLE)
    ):
        state[ps.SELF_CLOSING] = 0
        choose_attribute(last_letters(block, name, run), state)
        first = end + 2
        start = find_byte(block, first, stop, quote)
        state[ps.VALUE_LENGTH] = 0
        if start == stop:
            after = int64(ps.DOUBLE_QUOTED) if quote == _DOUBLE else int64(ps.SINGLE_QUOTED)
            keep_value(block, first, start, state, scratch)
        else:
            kind = state[ps.ATTRIBUTE_KIND]
            if kind != ps.OTHER_ATTRIBUTE and not (
                kind == ps.LINK and take_plain_link(block, first, start, state, links)
            ):
                keep_value(block, first, start, state, scratch)
                take_value(scratch, state, links)
            start += 1
    return start, after


@kernel_part
def read_attribute(block: Bytes, start: Int, stop: Int, scan: Int, state: Integers) -> Step:
    """Read what lies between a tag's name, its attributes and their values; return position and state."""
    if scan == ps.BEFORE_ATTRIBUTE:
        while start < stop:
            byte = load_byte(block, start)
            if byte == _GREATER or not load_byte(CLASS, byte) & NAME_END:
                scan = int64(ps.CLOSE) if byte == _GREATER else int64(ps.ATTRIBUTE)
                break
            state[ps.SELF_CLOSING] = int64(byte == _SLASH)
            start += 1
        if scan == ps.ATTRIBUTE:
            # The first byte belongs to the name whatever it is, also `=`.
            state[ps.ATTRIBUTE_KEY] = load_byte(block, start) | 0x20
            state[ps.SELF_CLOSING] = 0
            start += 1
    if scan == ps.ATTRIBUTE:
        key = uint64(state[ps.ATTRIBUTE_KEY])
        while start < stop:
            byte = load_byte(block, start)
            if load_byte(CLASS, byte) & ATTRIBUTE_END:
                scan = int64(ps.AFTER_ATTRIBUTE)
                break
            key = (key << _BYTE) | uint64(byte | 0x20)
            start += 1
        state[ps.ATTRIBUTE_KEY] = int64(key)
        if scan == ps.AFTER_ATTRIBUTE:
            choose_attribute(key, state)
    if scan == ps.AFTER_ATTRIBUTE and start < stop:
        while start < stop and load_byte(CLASS, load_byte(block, start)) & SPACE:
            start += 1
        if start < stop:
            is_value = load_byte(block, start) == _EQUALS
            scan = int64(ps.BEFORE_VALUE) if is_value else int64(ps.BEFORE_ATTRIBUTE)
            start += is_value
    if scan == ps.BEFORE_VALUE:
        while start < stop and load_byte(CLASS, load_byte(block, start)) & SPACE:
            start += 1
        if start < stop:
            byte = load_byte(block, start)
            state[ps.VALUE_LENGTH] = 0
            if byte == _DOUBLE:
                scan = int64(ps.DOUBLE_QUOTED)
                start += 1
            elif byte == _SINGLE:
                scan = int64(ps.SINGLE_QUOTED)
                start += 1
            else:
                scan = int64(ps.CLOSE) if byte == _GREATER else int64(ps.UNQUOTED)
    return start, scan


@kernel_part
def follow_hidden(tag: Int, flags: Int, state: Integers) -> None:
    """Keep account of the hidden element: which tag opened it and how deep others of its name are."""
    if state[ps.HIDDEN_DEPTH] > 0:
        if tag == state[ps.HIDDEN_TAG]:
            if state[ps.IS_END] or flags & SELF_ENDING_FLAG:
                state[ps.HIDDEN_DEPTH] -= 1
            else:
                state[ps.HIDDEN_DEPTH] += 1
    if (
        state[ps.HIDDEN_DEPTH] == 0
        and state[ps.IS_END] == 0
        and (state[ps.TAG_HIDES] or (tag == TAG_TEMPLATE and state[ps.FOREIGN] == 0))
        and not flags & VOID_FLAG
        and not (state[ps.FOREIGN] > 0 and state[ps.SELF_CLOSING])
    ):
        state[ps.HIDDEN_TAG] = tag
        state[ps.HIDDEN_DEPTH] = 1
    choose_text_mode(state)


@kernel_part
def begin_raw(kind: Int, state: Integers) -> None:
    """Begin the text of an element whose content is not markup."""
    state[ps.RAW_KIND] = kind
    state[ps.ESCAPE] = 0
    state[ps.DASHES] = 0
    room = state[ps.TEXT_LENGTH] < ps.MAX_TEXT - 2 * ps.MAX_TITLE
    if kind == TITLE and state[ps.TITLE_STATE] == ps.NO_TITLE and state[ps.HIDDEN_DEPTH] == 0 and room:
        state[ps.TITLE_STATE] = ps.IN_TITLE
        state[ps.TITLE_FROM] = state[ps.TEXT_LENGTH]
    choose_text_mode(state)


@kernel_part
def keep_pending(state: Integers, links: Bytes) -> None:
    """Let the link or base address of a tag count, now that the tag is whole."""
    length = state[ps.PENDING_LENGTH]
    if state[ps.TAG] == TAG_BASE:
        state[ps.BASE_LENGTH] = length
    else:
        end = state[ps.LINKS_LENGTH] + length
        store_byte(links, end, LINK_END)
        state[ps.LINKS_LENGTH] = end + 1
        state[ps.LINK_COUNT] += 1


@kernel_part
def close_tag(
    block: Bytes,
    start: Int,
    state: Integers,
    text: Bytes,
    tags: Shorts,
    lengths: Integers,
    links: Bytes,
    markup: Bytes,
) -> Int:
    """Take a whole tag, at its `>`: its place in the sequence, its noise, and what it begins or ends."""
    tag = state[ps.TAG]
    is_end = state[ps.IS_END]
    start += 1
    if state[ps.TAG_COUNT] < ps.MAX_TAGS:
        store_item(tags, state[ps.TAG_COUNT], np.uint16(tag * 2 + is_end))
        state[ps.TAG_COUNT] += 1
        length_bin = min(state[ps.NAME_LENGTH], ps.LENGTH_BINS) - 1
        store_item(lengths, length_bin, load_item(lengths, length_bin) + 1)
    state[ps.MARKUP_END] = compact_noise(block, state[ps.MARKUP_FROM], start, markup, state[ps.MARKUP_END])
    if state[ps.PENDING_LENGTH] > 0:
        keep_pending(state, links)
    flags = int64(load_item(TAG_FLAGS, tag))
    if flags & BLOCK_FLAG:
        break_line(state, text)
    if state[ps.HIDDEN_DEPTH] > 0 or state[ps.TAG_HIDES] or flags & SPECIAL_FLAG:
        follow_hidden(tag, flags, state)
    foreign = state[ps.FOREIGN]
    kind = flags >> RAW_SHIFT
    if kind and not is_end and (foreign == 0 or (kind <= STYLE and state[ps.SELF_CLOSING] == 0)):
        begin_raw(kind, state)
    if flags & SPECIAL_FLAG and tag != TAG_TEMPLATE:
        if is_end:
            state[ps.FOREIGN] = max(int64(0), foreign - 1)
        elif state[ps.SELF_CLOSING] == 0:
            state[ps.FOREIGN] = foreign + 1
    return start
