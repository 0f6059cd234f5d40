"""What a file is, told by its first bytes: a page, a message, text, or none of these."""

import codecs
import re

from hss_stream.sources.record import Kind

# Bytes looked at. Licence comments before the first tag are long, so the usual 512 are too few.
SNIFFED_BYTES = 8192

_STRONG = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|frameset)(?=[\s>/])", re.IGNORECASE
)
# Tags that also occur in plain text count only where a file begins with one of them.
_WEAK = re.compile(
    rb"\s*(?:<!--.*?-->\s*)*<(?:table|div|span|h[1-6]|p|br|a|b|i|center|font|ul|ol|li|img|form|hr|pre|link|base)"
    rb"(?=[\s>/])",
    re.IGNORECASE | re.DOTALL,
)
_XML = re.compile(rb"\s*<\?xml\b", re.IGNORECASE)
_HTML_ROOT = re.compile(rb"<(?:[a-z]+:)?html(?=[\s>/])|<!doctype\s+html", re.IGNORECASE)
_ARCHIVE = re.compile(rb"WARC/\d|filedesc://")
_FIRST_HEADER = re.compile(rb"(?:From [^\n]*\n>?)?[!-9;-~]+[ \t]*:")
_MAIL_HEADERS = re.compile(
    rb"^(?:received|return-path|delivered-to|message-id|mime-version|subject|from|to|date)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)


def is_mail(head: bytes) -> bool:
    """Tell whether these first bytes are the header of a message: at least two headers of mail."""
    block = re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0]
    return _FIRST_HEADER.match(block) is not None and len(_MAIL_HEADERS.findall(block)) >= 2


def is_html(head: bytes) -> bool:
    """Tell whether these first bytes hold HTML; other XML does not count."""
    if _XML.match(head) and not _HTML_ROOT.search(head):
        return False
    return _STRONG.search(head) is not None or _WEAK.match(head) is not None


def sniff_kind(body: bytes) -> Kind | None:
    """Return what a body is by its first bytes; None when it is neither page, message nor text."""
    head = body[:SNIFFED_BYTES]
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head.decode("utf-16", "ignore").encode("utf-8", "ignore")
    elif head[:2] in {b"<\0", b"\0<"}:
        head = head.replace(b"\0", b"")
    head = head.removeprefix(codecs.BOM_UTF8)
    if _ARCHIVE.match(head):
        return None
    if is_mail(head):
        return "mail"
    if is_html(head):
        return "page"
    if _XML.match(head) or not is_text(head):
        return None
    return "text"


def is_text(head: bytes) -> bool:
    """Tell whether bytes are text: some letter, no NUL and hardly any control characters."""
    controls = sum(head.count(bytes([code])) for code in range(32) if code not in b"\t\n\f\r\x1b")
    return bool(head.strip()) and b"\0" not in head and controls * 100 <= len(head)
