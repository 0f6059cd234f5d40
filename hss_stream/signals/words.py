"""Words of a text as 64-bit hashes, in one pass over its UTF-8 bytes.

A token is a maximal run of letters and digits (`letters.py` says what those are and how they fold), or
one ASCII punctuation byte. Other symbols, white space and broken UTF-8 only separate. Each token is one
uint64: the upper 63 bits are a hash of its folded characters; the low bit is 1 for a *candidate*, a word
that I-Match may use (Kolcz et al. 2004, section 6.3: at least four characters, at most one digit), unless
it stands in an address: a run between separators that has `://` or `@` in it. Spammers put a new address
into every copy, and the footers of mailing lists consist of little else.

The hash is stored in lexicons, models and signatures, so it is fixed for ever: for each folded character
c, h = (rotate_left(h, 5) xor c) * FOLD, modulo 2**64, then the finaliser of MurmurHash3.
"""

from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from hss_stream.signals.kernel import BYTES_IN, kernel, kernel_part, load_byte, load_item, store_item
from hss_stream.signals.letters import (
    DIGIT,
    FIRST_TAG,
    LAST_IDEOGRAPH,
    LAST_TAG,
    LETTER,
    PASSED_OVER,
    SEPARATOR,
    TABLE_SIZE,
    letter_table,
)

TABLE_IN = types.Array(types.uint32, 1, "C", readonly=True)

CANDIDATE_MIN_CHARACTERS = 4
CANDIDATE_MAX_DIGITS = 1

_MASK = 2**64 - 1
_FOLD = 0x9E3779B97F4A7C15
_MIX_1 = 0xFF51AFD7ED558CCD
_MIX_2 = 0xC4CEB9FE1A85EC53

# Kinds of bytes; odd ones are part of a word, and a digit is a letter plus 2, which is how they are counted.
_LETTER, _DIGIT, _PUNCTUATION, _HIGH = 1, 3, 4, 8
# The kernel may look this far behind the text, so the copy it reads ends with as many zeros.
_PADDING = 4
_ZEROS = bytes(_PADDING)
# A hasher keeps its scratch between texts, but not one of a giant text.
_KEPT_TEXT_BYTES = 1 << 20

_SLASH, _COLON, _AT = ord("/"), ord(":"), ord("@")

_TABLE = letter_table()


def _byte_kinds() -> NDArray[np.uint8]:
    kinds = np.zeros(256, np.uint8)
    for byte in range(33, 127):
        character = chr(byte)
        kinds[byte] = _LETTER if character.isalpha() else _DIGIT if character.isdigit() else _PUNCTUATION
    kinds[128:] = _HIGH
    return kinds


_KINDS = _byte_kinds()
_FOLDED_BYTES = np.frombuffer(bytes(range(256)).lower(), np.uint8)


def fold_character(character: str) -> tuple[str, int]:
    """Return the folded character and its class."""
    code = ord(character)
    if code < TABLE_SIZE:
        entry = int(_TABLE[code])
        return chr(entry >> 2), entry & 3
    if code <= LAST_IDEOGRAPH:
        return character, LETTER
    return character, PASSED_OVER if FIRST_TAG <= code <= LAST_TAG else SEPARATOR


def word_hash(word: str) -> int:
    """Return the token of one word or punctuation character outside of addresses: the definition."""
    value = characters = digits = 0
    for character in word:
        folded, kind = fold_character(character)
        if kind in {LETTER, DIGIT} or ord(character) < 128:
            value = ((value << 5 | value >> 59) & _MASK ^ ord(folded)) * _FOLD & _MASK
            characters += 1
            digits += kind == DIGIT
    value = (value ^ value >> 33) * _MIX_1 & _MASK
    value = (value ^ value >> 33) * _MIX_2 & _MASK
    candidate = characters >= CANDIDATE_MIN_CHARACTERS and digits <= CANDIDATE_MAX_DIGITS
    return (value ^ value >> 33) & ~1 | candidate


@kernel_part
def _decode(text: Any, position: int, lead: int) -> int:
    """Return character * 8 + width of the UTF-8 sequence there; character 0, width 1 if it is broken."""
    found = 1
    second = load_byte(text, position + 1)
    if lead >= 0xC2 and second & 0xC0 == 0x80:
        code = (lead & 31) << 6 | second & 63
        if lead < 0xE0:
            found = code << 3 | 2
        else:
            third = load_byte(text, position + 2)
            if third & 0xC0 == 0x80:
                code = (code & 0x3FF) << 6 | third & 63
                if lead < 0xF0:
                    if code >= 0x800:
                        found = code << 3 | 3
                else:
                    fourth = load_byte(text, position + 3)
                    if fourth & 0xC0 == 0x80:
                        code = (lead & 7) << 18 | (code & 0xFFF) << 6 | fourth & 63
                        if lead < 0xF5 and 0x10000 <= code <= 0x10FFFF:
                            found = code << 3 | 4
    return found


@kernel_part
def _ends_scheme(text: Any, position: int) -> bool:
    """Tell whether the slash there ends a `://`."""
    return (
        position >= 2 and load_byte(text, position - 1) == _SLASH and load_byte(text, position - 2) == _COLON
    )


@kernel(types.int64(BYTES_IN, types.int64, BYTES_IN, BYTES_IN, TABLE_IN, types.uint64[::1]), allocates=False)
def _hash_words(  # noqa: C901, PLR0912, PLR0915 - one loop over bytes; calls would cost its speed
    text: Any, size: int, kinds: Any, folded_bytes: Any, table: Any, tokens: Any
) -> int:
    """Write the tokens of text[:size] and return their number; _PADDING zeros must follow the text."""
    left, right, half = np.uint64(5), np.uint64(59), np.uint64(33)
    fold, mix_1, mix_2 = np.uint64(_FOLD), np.uint64(_MIX_1), np.uint64(_MIX_2)
    position = 0
    count = 0
    run_start = 0  # the first token since the last separator
    in_address = False
    while position < size:
        byte = load_byte(text, position)
        kind = load_byte(kinds, byte)
        if kind == 0:
            position += 1
            run_start = count
            in_address = False
            continue
        value = np.uint64(0)
        characters = 0
        digits_twice = 0
        if kind == _PUNCTUATION:
            value = np.uint64(byte) * fold
            characters = 1
            if not in_address and (byte == _AT or (byte == _SLASH and _ends_scheme(text, position))):
                in_address = True
                for token in range(run_start, count):
                    store_item(tokens, token, load_item(tokens, token) & np.uint64(_MASK - 1))
            position += 1
        separated = False
        while kind & (_LETTER | _HIGH):
            start = position
            while kind & _LETTER:
                folded = np.uint64(load_byte(folded_bytes, byte))
                value = (((value << left) | (value >> right)) ^ folded) * fold
                digits_twice += kind - _LETTER
                position += 1
                byte = load_byte(text, position)
                kind = load_byte(kinds, byte)
            characters += position - start
            if kind != _HIGH:
                break
            found = _decode(text, position, byte)
            position += found & 7
            code = found >> 3
            entry = code << 2
            if code < TABLE_SIZE:
                entry = types.int64(load_item(table, code))
            elif code <= LAST_IDEOGRAPH:
                entry |= LETTER
            elif FIRST_TAG <= code <= LAST_TAG:
                entry |= PASSED_OVER
            if entry & 3 == SEPARATOR:
                separated = True
                break
            if entry & LETTER:
                value = (((value << left) | (value >> right)) ^ np.uint64(entry >> 2)) * fold
                characters += 1
                digits_twice += entry & (DIGIT - LETTER)
            byte = load_byte(text, position)
            kind = load_byte(kinds, byte)
        if characters > 0:
            value = (value ^ (value >> half)) * mix_1
            value = (value ^ (value >> half)) * mix_2
            value ^= value >> half
            candidate = characters >= CANDIDATE_MIN_CHARACTERS and digits_twice <= 2 * CANDIDATE_MAX_DIGITS
            store_item(
                tokens, count, (value & np.uint64(_MASK - 1)) | np.uint64(candidate and not in_address)
            )
            count += 1
        if separated:
            run_start = count
            in_address = False
    return count


class WordHasher:
    """Turns texts into tokens; holds scratch memory, so one belongs to one thread."""

    def __init__(self) -> None:
        self._tokens = np.zeros(0, np.uint64)

    def hash(self, text: bytes) -> NDArray[np.uint64]:
        """Return one entry a token of UTF-8 text, in order; anything goes, broken UTF-8 separates."""
        size = len(text)
        if self._tokens.size < size:
            self._tokens = np.empty(2 * size, np.uint64)
        padded = np.frombuffer(text + _ZEROS, np.uint8)
        count = _hash_words(padded, size, _KINDS, _FOLDED_BYTES, _TABLE, self._tokens)
        tokens = self._tokens[:count].copy()
        if size > _KEPT_TEXT_BYTES:
            self._tokens = np.zeros(0, np.uint64)
        return tokens
