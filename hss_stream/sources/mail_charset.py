"""Bytes of a message to UTF-8, whatever charset they claim.

Claims are wrong often enough that the bytes are asked first: valid UTF-8 with a character beyond ASCII
is UTF-8 (other charsets hardly ever look like it). Otherwise the claim counts if it names a charset of
mail; Python has codecs that are none (`zlib`), that are slow on purpose-made input (`punycode`) or that
warn (`unicode_escape`), so the list is ours. What is left is Windows-1252, as in browsers.
"""

import codecs
import re

_MAIL_CHARSETS = re.compile(
    r"(us-)?ascii|ansi_x3\.4-1968|utf-?(8|16(le|be)?|32(le|be)?|7)|unicode-1-1-utf-7|iso-?8859-\d{1,2}(-[ei])?|latin-?\d"
    r"|(windows|cp|ibm|x-cp)-?\d{3,5}|koi8-[rut]|gb_?2312(-80)?|gbk|gb18030|hz-gb-2312|big-?5(-?hkscs)?|shift[-_]?jis"
    r"|sjis|x-sjis|ms_kanji|euc-?(jp|kr)|ks_c_5601-1987|iso-2022-(jp(-\d)?|kr)|tis-620|mac(intosh|roman|cyrillic)"
)
# Names that mail uses and Python does not know.
_ALIASES = {
    "gb2312-80": "gb18030", "gb_2312-80": "gb18030", "gb2312": "gb18030", "gbk": "gb18030",
    "hz-gb-2312": "hz", "ks_c_5601-1987": "cp949", "euc-kr": "cp949", "x-sjis": "cp932", "shift_jis": "cp932",
    "iso-8859-8-i": "iso-8859-8", "iso-8859-8-e": "iso-8859-8", "unicode-1-1-utf-7": "utf-7",
    "iso-8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "macintosh": "mac-roman",
    "macroman": "mac-roman", "maccyrillic": "mac-cyrillic", "windows-874": "cp874", "tis-620": "cp874",
}  # fmt: skip
_SEVEN_BIT = ("utf-7", "iso-2022", "hz")
_WIDE = ("utf-16", "utf-32", "utf16", "utf32")


def to_utf8(raw: bytes, claimed: str | None) -> bytes:
    """Return the text as UTF-8; never fails, what cannot be read becomes U+FFFD."""
    name = _known_charset(claimed)
    if name is None or not name.startswith(_WIDE):
        if not raw.isascii():
            if _is_utf8(raw):
                return raw
        elif name is None or not name.startswith(_SEVEN_BIT):
            return raw
    if name is None or name in {"ascii", "us-ascii"} or name.startswith(("utf-8", "utf8")):
        name = "cp1252"
    return raw.decode(name, "replace").encode("utf-8", "replace")


def text_to_utf8(raw: bytes) -> bytes:
    """Return a text that claims no charset as UTF-8; a byte order mark is believed and removed."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16", "replace").encode("utf-8", "replace")
    return to_utf8(raw.removeprefix(codecs.BOM_UTF8), None)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _known_charset(claimed: str | None) -> str | None:
    """Return Python's name for a charset of mail, or None."""
    name = (claimed or "").strip().lower()
    if not _MAIL_CHARSETS.fullmatch(name):
        return None
    name = _ALIASES.get(name, name)
    try:
        codecs.lookup(name)
    except LookupError:
        return None
    return name
