"""The few header fields that a reader of mail text needs, out of bytes that follow no rule for sure.

Only the first field of a name counts. Values come unfolded; encoded words (RFC 2047) are decoded where
they are whole; parameters may be quoted, bare, or split and percent-encoded (RFC 2231).
"""

import binascii
import re
from urllib.parse import unquote_to_bytes

from hss_stream.sources.mail_charset import to_utf8

# Longer header blocks are cut here: real ones stay under 64 KB.
MAX_HEADER_BYTES = 256 * 1024
# A value that is longer says nothing more; the patterns below stay fast.
_MAX_VALUE_BYTES = 8 * 1024

_FIELD_NAMES = (b"subject", b"content-type", b"content-transfer-encoding", b"content-disposition")
_FIELD_LINE = re.compile(rb"[!-9;-~]{1,80}[ \t]*:")
_FIELD_VALUE = re.compile(rb"[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)")
_FOLD = re.compile(rb"[\r\n]+[ \t]*")
_PARAMETER = re.compile(r';\s*([\w.-]{1,40}(?:\*\d{0,3}\*?)?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;"]*))')
_ENCODED_WORD = re.compile(rb"=\?([^?\s*]{1,40})(?:\*[^?\s]{0,20})?\?([bBqQ])\?([^?]*)\?=")


def split_header(raw: bytes, start: int, stop: int) -> tuple[bytes, int]:
    """Return the header block that begins at start and where its body begins.

    A block that does not begin with a field is none: everything is body. One that never ends is cut.
    """
    if raw.startswith((b"\r\n", b"\n"), start):
        return b"", start + (2 if raw[start] == 13 else 1)
    if not _FIELD_LINE.match(raw, start, stop):
        return b"", start
    end = min(stop, start + MAX_HEADER_BYTES)
    body = end
    first_line = raw.find(b"\n", start, end)
    # The likelier ending first: the other is then looked for in the header alone.
    endings = [b"\n\r\n", b"\n\n"] if raw[first_line - 1] == 13 else [b"\n\n", b"\n\r\n"]
    for ending in endings:
        blank = raw.find(ending, start, end)
        if blank >= 0:
            end, body = blank + 1, blank + len(ending)
    return raw[start:end], body


def header_fields(block: bytes) -> dict[bytes, bytes]:
    """Return the values by lower-case name, unfolded, the first of each name."""
    lower = b"\n" + block.lower()
    fields: dict[bytes, bytes] = {}
    for name in _FIELD_NAMES:
        at = lower.find(b"\n" + name)
        while at >= 0:
            value = _FIELD_VALUE.match(block, at + len(name), at + len(name) + _MAX_VALUE_BYTES)
            if value:
                fields[name] = _FOLD.sub(b" ", value[1]).strip()
                break
            at = lower.find(b"\n" + name, at + 1)
    return fields


def content_type(value: bytes) -> tuple[str, dict[str, str]]:
    """Return type/subtype in lower case (`text/plain` where it makes no sense) and the parameters."""
    text = to_utf8(value, None).decode()
    kind, _, rest = text.partition(";")
    kind = kind.strip().lower()
    if not re.fullmatch(r"[\w.+-]+/[\w.+-]+", kind, re.ASCII):
        kind = "text/plain"
    return kind, _parameters(";" + rest)


def _parameters(text: str) -> dict[str, str]:
    """Return the parameters by lower-case name; those split over several are joined."""
    found: dict[str, str] = {}
    for match in _PARAMETER.finditer(text):
        name, star, _ = match[1].lower().partition("*")
        value = re.sub(r"\\(.)", r"\1", match[2]) if match[2] is not None else match[3]
        if star:
            if match[1].endswith("*"):
                value = unquote_to_bytes(value.rpartition("'")[2]).decode("utf-8", "replace")
            found[name] = found.get(name, "") + value
        else:
            found.setdefault(name, value)
    return found


def subject_text(value: bytes) -> bytes:
    """Return a subject as UTF-8 with its encoded words decoded."""
    pieces: list[tuple[str | None, bytes]] = []
    end = 0
    for match in _ENCODED_WORD.finditer(value):
        between = value[end : match.start()]
        if between.strip() or not pieces:
            pieces.append((None, between))
        charset = match[1].decode("ascii", "replace").lower()
        piece = _decode_word(match[2], match[3])
        if pieces[-1][0] == charset:
            # One character may be split over two words: join before decoding.
            pieces[-1] = (charset, pieces[-1][1] + piece)
        else:
            pieces.append((charset, piece))
        end = match.end()
    pieces.append((None, value[end:]))
    return b"".join(to_utf8(piece, charset) for charset, piece in pieces)


def _decode_word(encoding: bytes, text: bytes) -> bytes:
    if encoding in b"bB":
        return decode_base64(text)
    return binascii.a2b_qp(text, header=True)


_NOT_BASE64 = bytes(
    set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
)
# Base64 texts put one after the other end with padding inside; more of them than this is an attack.
_MAX_SEGMENTS = 100


def decode_base64(text: bytes) -> bytes:
    """Return what base64 text stands for; foreign bytes are passed over, a cut end gives what it can."""
    segments = text.translate(None, _NOT_BASE64).split(b"=")
    whole = (segment[: len(segment) - (len(segment) % 4 == 1)] for segment in segments[:_MAX_SEGMENTS])
    return b"".join(binascii.a2b_base64(segment + b"=" * (-len(segment) % 4)) for segment in whole if segment)
