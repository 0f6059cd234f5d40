"""The scanner's parts for what is not markup: ends of raw text, comments, declarations, CDATA."""

import numpy as np
from numba import int64, uint64

from hss_stream.signals import page_state as ps
from hss_stream.signals.byte_classes import CLASS, LETTER, NAME_END, SPACE, find_byte
from hss_stream.signals.kernel import (
    Bytes,
    Int,
    Integers,
    Step,
    kernel_part,
    load_byte,
    load_item,
    store_byte,
)
from hss_stream.signals.tag_names import LENGTH_FACTOR, PLAINTEXT, RAW_KEYS, SCRIPT, TITLE
from hss_stream.signals.tag_states import begin_tag, end_name
from hss_stream.signals.text_states import choose_text_mode, put_literal

_BYTE = np.uint64(8)
_LENGTH_FACTOR = np.uint64(LENGTH_FACTOR)
_LESS, _GREATER, _SLASH, _BANG, _DASH, _BRACKET = ord("<"), ord(">"), ord("/"), ord("!"), ord("-"), ord("]")
_CDATA_OPEN = np.frombuffer(b"[CDATA[", np.uint8).copy()
_MAX_RAW_NAME = 9
# Value of MATCHED after `<!-`.
_ONE_DASH = 100
# Value of DASHES after `--!`.
_DASHES_BANG = 9


@kernel_part
def read_raw_open(block: Bytes, start: Int, state: Integers, text: Bytes) -> Step:
    """Decide what `<` in raw text begins; return position and next state."""
    byte = load_byte(block, start)
    kind = state[ps.RAW_KIND]
    after = int64(ps.TEXT)
    state[ps.MATCHED] = 0
    state[ps.NAME_KEY] = 0
    state[ps.NAME_LENGTH] = 0
    state[ps.ROLL_BACK] = state[ps.TEXT_LENGTH]
    state[ps.ROLL_BACK_SPACE] = state[ps.AFTER_SPACE]
    put_literal(_LESS, state, text)
    if byte == _SLASH and kind != PLAINTEXT:
        after = int64(ps.RAW_END)
        put_literal(byte, state, text)
        start += 1
    elif kind == SCRIPT and byte == _BANG and state[ps.ESCAPE] == 0:
        after = int64(ps.RAW_BANG)
        start += 1
    elif kind == SCRIPT and state[ps.ESCAPE] == 1 and load_byte(CLASS, byte) & LETTER:
        after = int64(ps.RAW_NESTED)
    return start, after


@kernel_part
def end_raw(state: Integers, scratch: Bytes, text: Bytes) -> None:
    """End an element whose content was not markup: its end tag is no text, and a title is put aside."""
    if state[ps.TEXT_MODE] == ps.COPY:
        state[ps.TEXT_LENGTH] = state[ps.ROLL_BACK]
        state[ps.AFTER_SPACE] = state[ps.ROLL_BACK_SPACE]
    elif state[ps.TEXT_MODE] == ps.COUNT:
        state[ps.HIDDEN_BYTES] -= 2 + state[ps.NAME_LENGTH]
    if state[ps.RAW_KIND] == TITLE and state[ps.TITLE_STATE] == ps.IN_TITLE:
        first = state[ps.TITLE_FROM]
        length = min(state[ps.TEXT_LENGTH] - first, ps.MAX_TITLE)
        for index in range(length):
            store_byte(scratch, ps.TITLE_AT + index, load_byte(text, first + index))
        state[ps.TITLE_LENGTH] = length
        state[ps.TITLE_STATE] = ps.HAS_TITLE
        state[ps.TEXT_LENGTH] = first
        state[ps.AFTER_SPACE] = 1
    state[ps.RAW_KIND] = 0
    choose_text_mode(state)


@kernel_part
def read_raw_name(
    block: Bytes,
    start: Int,
    stop: Int,
    scan: Int,
    state: Integers,
    text: Bytes,
    scratch: Bytes,
    markup: Bytes,
) -> Step:
    """Read the name after `</` in raw text, or after `<` in an escaped script; return position and state."""
    key = uint64(state[ps.NAME_KEY])
    length = state[ps.NAME_LENGTH]
    after = scan
    while start < stop:
        byte = load_byte(block, start)
        if not (load_byte(CLASS, byte) & LETTER and length < _MAX_RAW_NAME):
            after = int64(ps.TEXT)
            break
        key = (key << _BYTE) | uint64(byte | 0x20)
        length += 1
        start += 1
        put_literal(byte, state, text)
    state[ps.NAME_KEY] = int64(key)
    state[ps.NAME_LENGTH] = length
    if after == ps.TEXT:
        kind = state[ps.RAW_KIND]
        whole = key + uint64(length) * _LENGTH_FACTOR
        if load_byte(CLASS, load_byte(block, start)) & NAME_END and whole == load_item(RAW_KEYS, kind):
            if scan == ps.RAW_NESTED:
                state[ps.ESCAPE] = 2
            elif state[ps.ESCAPE] == 2:
                state[ps.ESCAPE] = 1
            else:
                end_raw(state, scratch, text)
                begin_tag(int64(1), state)
                end_name(start, key, length, state, markup)
                after = int64(ps.BEFORE_ATTRIBUTE)
    return start, after


@kernel_part
def read_raw(
    block: Bytes,
    start: Int,
    stop: Int,
    scan: Int,
    state: Integers,
    text: Bytes,
    scratch: Bytes,
    markup: Bytes,
) -> Step:
    """Read what follows `<` in raw text; return position and next state."""
    if scan == ps.RAW_OPEN:
        start, scan = read_raw_open(block, start, state, text)
    elif scan == ps.RAW_BANG:
        if load_byte(block, start) == _DASH:
            start += 1
            state[ps.MATCHED] += 1
            if state[ps.MATCHED] == 2:
                state[ps.ESCAPE] = 1
                state[ps.DASHES] = 2
                scan = int64(ps.TEXT)
        else:
            scan = int64(ps.TEXT)
    else:
        start, scan = read_raw_name(block, start, stop, scan, state, text, scratch, markup)
    return start, scan


@kernel_part
def read_comment(block: Bytes, start: Int, stop: Int, state: Integers) -> Step:
    """Read a comment, all of it hidden, to `-->` or `--!>`; return position and next state."""
    first = start
    after = int64(ps.COMMENT)
    dashes = state[ps.DASHES]
    while start < stop and after == ps.COMMENT:
        if dashes == 0:
            start = find_byte(block, start, stop, _DASH)
        if start < stop:
            byte = load_byte(block, start)
            start += 1
            if byte == _GREATER and dashes >= 2:
                after = int64(ps.TEXT)
            elif byte == _DASH:
                dashes = min(dashes + 1, int64(2)) if dashes < _DASHES_BANG else int64(1)
            else:
                dashes = int64(_DASHES_BANG) if byte == _BANG and dashes == 2 else int64(0)
    state[ps.DASHES] = dashes
    state[ps.HIDDEN_BYTES] += start - first
    return start, after


@kernel_part
def read_cdata(block: Bytes, start: Int, stop: Int, state: Integers, text: Bytes) -> Step:
    """Read the text of a CDATA section to `]]>`; return position and next state."""
    after = int64(ps.CDATA)
    while start < stop and after == ps.CDATA:
        byte = load_byte(block, start)
        start += 1
        if byte == _GREATER and state[ps.DASHES] >= 2:
            after = int64(ps.TEXT)
            if state[ps.TEXT_MODE] == ps.COPY:
                state[ps.TEXT_LENGTH] -= 2
                length = state[ps.TEXT_LENGTH]
                state[ps.AFTER_SPACE] = 1
                if length > 0:
                    state[ps.AFTER_SPACE] = load_byte(CLASS, load_byte(text, length - 1)) & SPACE
            elif state[ps.TEXT_MODE] == ps.COUNT:
                state[ps.HIDDEN_BYTES] -= 2
        else:
            state[ps.DASHES] = state[ps.DASHES] + 1 if byte == _BRACKET else 0
            if load_byte(CLASS, byte) & SPACE:
                if state[ps.TEXT_MODE] == ps.COPY and state[ps.AFTER_SPACE] == 0:
                    put_literal(ord(" "), state, text)
                    state[ps.AFTER_SPACE] = 1
            elif byte != 0:
                put_literal(byte, state, text)
    return start, after


@kernel_part
def read_declaration(block: Bytes, start: Int, stop: Int, scan: Int, state: Integers, text: Bytes) -> Step:
    """Read what follows `<!` or `<?`; return position and next state."""
    if scan == ps.DECLARATION:
        byte = load_byte(block, start)
        matched = state[ps.MATCHED]
        scan = int64(ps.BOGUS)
        if matched == 0 and byte == _DASH:
            state[ps.MATCHED] = _ONE_DASH
            scan = int64(ps.DECLARATION)
            start += 1
        elif matched == _ONE_DASH:
            if byte == _DASH:
                state[ps.DASHES] = 2
                scan = int64(ps.COMMENT)
                start += 1
        elif state[ps.FOREIGN] > 0 and byte == load_byte(_CDATA_OPEN, matched):
            state[ps.MATCHED] = matched + 1
            state[ps.DASHES] = 0
            scan = int64(ps.CDATA) if matched + 1 == _CDATA_OPEN.size else int64(ps.DECLARATION)
            start += 1
    elif scan == ps.COMMENT:
        start, scan = read_comment(block, start, stop, state)
    elif scan == ps.CDATA:
        start, scan = read_cdata(block, start, stop, state, text)
    else:
        start = find_byte(block, start, stop, _GREATER)
        if start < stop:
            start += 1
            scan = int64(ps.TEXT)
    return start, scan
