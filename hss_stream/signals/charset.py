"""Which character set a page is written in, and reading it as UTF-8.

In order: a byte order mark, the charset of the Content-Type header, `<meta charset>` in the first 1,024
bytes, UTF-16 betrayed by its zero bytes, else UTF-8. Labels are those of the WHATWG Encoding Standard;
an unknown one counts as absent.

UTF-8 and windows-1252 are read alike: bytes that form UTF-8 are UTF-8, any other byte is windows-1252.
So many pages declare one and are the other that the declaration tells less than the bytes do.
"""

import codecs
import re

import numpy as np
from numba import int64, types

from hss_stream.signals import page_state as ps
from hss_stream.signals.entities import NUMBERED, put_code_point
from hss_stream.signals.kernel import (
    BYTES_IN,
    Bytes,
    Int,
    kernel,
    kernel_part,
    load_byte,
    load_item,
    store_byte,
)

HEAD_BYTES = 1024
UTF_8, WINDOWS_1252 = "utf-8", "windows-1252"
MAX_REPAIRED = ps.MAX_TEXT
_LONGEST = 4  # bytes of one character

_CODECS = {
    UTF_8: UTF_8,
    "utf8": UTF_8,
    "unicode-1-1-utf-8": UTF_8,
    "utf-16": "utf-16-le",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "x-gbk": "gb18030",
    "big5": "big5hkscs",
    "big5-hkscs": "big5hkscs",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "windows-949": "cp949",
    "koi8-r": "koi8_r",
    "koi8-u": "koi8_u",
    "ibm866": "cp866",
    "cp866": "cp866",
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "windows-874": "cp874",
    "tis-620": "cp874",
    "iso-8859-11": "cp874",
    "iso-8859-9": "cp1254",
    "latin5": "cp1254",
    "latin2": "iso8859_2",
    **dict.fromkeys(
        ("iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1", "us-ascii", "ascii", "x-cp1252"),
        WINDOWS_1252,
    ),
    **{f"windows-125{part}": f"cp125{part}" for part in range(9) if part != 2},
    **{f"cp125{part}": f"cp125{part}" for part in range(9) if part != 2},
    WINDOWS_1252: WINDOWS_1252,
    "cp1252": WINDOWS_1252,
    **{f"iso-8859-{part}": f"iso8859_{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **{f"iso8859-{part}": f"iso8859_{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
}

_HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s\"';,]+)", re.IGNORECASE)
_META_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([^\s\"'/>;]{1,40})")
_MARKS = ((codecs.BOM_UTF8, UTF_8), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def codec_of(label: str) -> str | None:
    """Return the codec of a label of the Encoding Standard, or None where it is unknown."""
    return _CODECS.get(label.strip().lower())


def detect_charset(head: bytes, content_type: str | None) -> tuple[str, int]:
    """Return the codec of a page that begins like this, and the length of its byte order mark."""
    for mark, marked in _MARKS:
        if head.startswith(mark):
            return marked, len(mark)
    header = _HEADER_CHARSET.search(content_type) if content_type else None
    if header and (codec := codec_of(header.group(1))):
        return codec, 0
    if codec := _meta_charset(head[:HEAD_BYTES].lower()):
        # A page whose ASCII was just read is not UTF-16, whatever it says.
        return (UTF_8 if codec.startswith("utf-16") else codec), 0
    if len(head) >= 4 and head[0] == ord("<") and head[1] == head[3] == 0 != head[2]:
        return "utf-16-le", 0
    if len(head) >= 4 and head[1] == ord("<") and head[0] == head[2] == 0 != head[3]:
        return "utf-16-be", 0
    return UTF_8, 0


def _meta_charset(head: bytes) -> str | None:
    """Return the codec of the first `charset=` in the head that stands in a meta tag and is known."""
    for found in _META_CHARSET.finditer(head):
        tag = head.rfind(b"<", 0, found.start())
        if tag >= 0 and head.startswith(b"<meta", tag):
            codec = codec_of(found.group(1).decode("latin-1"))
            if codec:
                return codec
    return None


def needs_decoder(codec: str) -> bool:
    """Tell whether pages of a codec must be turned into UTF-8 before they are scanned."""
    return codec not in {UTF_8, WINDOWS_1252}


@kernel_part
def utf8_length(body: Bytes, at: Int, size: Int) -> Int:
    """Return the length of the UTF-8 sequence at a byte above 127, or 0 where there is none."""
    lead = load_byte(body, at)
    second = load_byte(body, at + 1) if at + 1 < size else int64(0)
    low, high, length = int64(0x80), int64(0xBF), int64(0)
    if 0xC2 <= lead <= 0xDF:
        length = int64(2)
    elif 0xE0 <= lead <= 0xEF:
        length = int64(3)
        low = int64(0xA0) if lead == 0xE0 else low
        high = int64(0x9F) if lead == 0xED else high
    elif 0xF0 <= lead <= 0xF4:
        length = int64(4)
        low = int64(0x90) if lead == 0xF0 else low
        high = int64(0x8F) if lead == 0xF4 else high
    if length > 0 and (second < low or second > high or at + length > size):
        length = int64(0)
    for further in range(2, length):
        if load_byte(body, at + further) & 0xC0 != 0x80:
            length = int64(0)
            break
    return length


@kernel(types.int64(BYTES_IN, types.uint8[::1]), allocates=False)
def _repair(body: Bytes, out: Bytes) -> Int:
    at = 0
    end = 0
    while at < body.size and end + _LONGEST <= out.size:
        byte = load_byte(body, at)
        length = int64(1) if byte < 128 else utf8_length(body, at, body.size)
        if length == 0:
            end = put_code_point(out, end, load_item(NUMBERED, byte))
            at += 1
        for _ in range(length):
            store_byte(out, end, load_byte(body, at))
            end += 1
            at += 1
    return end


def repair_utf8(text: bytes) -> bytes:
    """Return text in which every byte that is no UTF-8 has become the character windows-1252 gives it.

    That may lengthen it; what begins beyond MAX_REPAIRED bytes is left out.
    """
    if text.isascii():
        return text
    try:
        text.decode()
    except UnicodeDecodeError:
        out = np.empty(min(3 * len(text), MAX_REPAIRED) + _LONGEST, np.uint8)
        return out[: _repair(np.frombuffer(text, np.uint8), out)].tobytes()
    return text
