"""The text of a message: subject, plain text, HTML part, links; one pass over hostile bytes.

The standard library's parser builds a tree, recurses with the nesting of the message, keeps every
attachment and raises on some headers. A gateway asks for a few texts of thousands of messages a second.
So this walks the bytes once: it looks at lines that begin with `--`, compares them with the boundaries
open at that point, and decodes only text. Nothing is refused: each oddity has an outcome and is named in
`problems`. Memory is bounded by the limits below times the message.
"""

import binascii
import re
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from hss_stream.sources.mail_charset import to_utf8
from hss_stream.sources.mail_header import (
    MAX_HEADER_BYTES,
    content_type,
    decode_base64,
    header_fields,
    split_header,
    subject_text,
)

# Limits per message. Clients show nothing of what lies beyond any of them.
MAX_DEPTH = 64
MAX_PARTS = 1000
MAX_TEXT_BYTES = 4 * 1024 * 1024
MAX_LINKS = 1000
# Lines that begin with `--` and are looked at; a text of nothing else would cost a second per 10 MB.
MAX_DASH_LINES = 100_000
MAX_BOUNDARY_BYTES = 1000

_LINK = re.compile(rb"://[^\s<>\"'\x00-\x20]{1,2048}")
_LATE_BREAK = re.compile(rb"=[ \t]+(?=\r?\n)")
_HTML_START = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_LIKELY_DELIMITER = re.compile(rb"^--([^\r\n]{1,200}?)[ \t]*\r?\n(?=content-)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Mail:
    """What a message says; texts are UTF-8 except `html`, which `html_type` describes."""

    subject: bytes = b""
    plain: bytes = b""
    html: bytes = b""
    html_type: str | None = None
    links: tuple[bytes, ...] = ()  # of the plain text; those of the HTML part come with its scan
    attachments: int = 0
    problems: tuple[str, ...] = ()

    def shown_text(self, html_text: bytes) -> bytes:
        """Return the subject and what a reader sees: the HTML part's text if it has any, else the plain one.

        The other alternative is where spammers put words to mislead filters.
        """
        return self.subject + b"\n" + (html_text if html_text.strip() else self.plain)


def parse_mail(raw: bytes) -> Mail:
    """Return the texts of a message in RFC 822 form; an mbox `From ` line before it is passed over."""
    if b"\n" not in raw:
        raw = raw.replace(b"\r", b"\n")
    start = raw.find(b"\n") + 1 if raw.startswith((b"From ", b">From ")) else 0
    walk = _Walk(raw)
    walk.run(start)
    plain = b"\n".join(walk.plain)
    html, html_type = _join_html(walk.html)
    return Mail(walk.subject, plain, html, html_type, _links(plain), walk.attachments, tuple(walk.problems))


def _links(text: bytes) -> tuple[bytes, ...]:
    """Return the distinct web addresses of a plain text, at most MAX_LINKS."""
    found: dict[bytes, None] = {}
    for match in islice(_LINK.finditer(text), MAX_LINKS):
        before = text[max(0, match.start() - 5) : match.start()].lower()
        if before.endswith((b"http", b"https")):
            scheme = b"https" if before.endswith(b"https") else b"http"
            found[scheme + match[0].rstrip(b".,;:!?)]")] = None
    return tuple(found)


def _join_html(parts: list[tuple[bytes, str | None]]) -> tuple[bytes, str | None]:
    """Return one HTML part as it came, several as one text in UTF-8, and the content type of it."""
    if not parts:
        return b"", None
    if len(parts) == 1:
        charset = parts[0][1]
        return parts[0][0], f"text/html; charset={charset}" if charset else "text/html"
    return b"\n".join(to_utf8(body, charset) for body, charset in parts), "text/html; charset=utf-8"


class _Delimiter(NamedTuple):
    """A line that ends a part: where it begins and stops, which open boundary it is, whether it closes it."""

    start: int
    stop: int
    level: int
    closes: bool


class _Walk:
    """The way through one message: the boundaries open now, and what was gathered so far."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.subject = b""
        self.plain: list[bytes] = []
        self.html: list[tuple[bytes, str | None]] = []
        self.attachments = 0
        self.problems: dict[str, None] = {}
        self._boundaries: list[bytes] = []
        self._parts = 0
        self._dash_lines = 0
        self._room = MAX_TEXT_BYTES

    def run(self, start: int) -> None:
        """Visit the parts in their order in the message, whatever their nesting claims."""
        while self._parts < MAX_PARTS:
            fields, body = self._enter(start)
            kind, parameters = content_type(fields.get(b"content-type", b""))
            is_leaf = not kind.startswith("multipart/") or self._open(parameters.get("boundary", ""), body)
            delimiter = self._next_delimiter(body)
            if is_leaf:
                end = delimiter.start if delimiter else len(self.raw)
                self._take(kind, parameters.get("charset"), fields, self.raw[body:end])
            # Over closing delimiters and what follows them, to the next part that begins.
            while delimiter and delimiter.closes:
                del self._boundaries[delimiter.level :]
                delimiter = self._next_delimiter(delimiter.stop) if self._boundaries else None
            if delimiter is None:
                return
            del self._boundaries[delimiter.level + 1 :]
            start = delimiter.stop
        self._note("too_many_parts")

    def _note(self, problem: str) -> None:
        self.problems[problem] = None

    def _enter(self, start: int) -> tuple[dict[bytes, bytes], int]:
        """Return the fields and the body of the part that begins there; of a message in it, its own."""
        for _ in range(MAX_DEPTH):
            block, body = split_header(self.raw, start, len(self.raw))
            if b"--" in block:
                delimiter = self._next_delimiter(start)
                if delimiter and delimiter.start < body:
                    block, body = self.raw[start : delimiter.start], delimiter.start
            if len(block) >= MAX_HEADER_BYTES:
                self._note("huge_header")
            fields = header_fields(block)
            if not self._parts:
                self.subject = subject_text(fields.get(b"subject", b""))
            self._parts += 1
            is_message = content_type(fields.get(b"content-type", b""))[0] in {
                "message/rfc822",
                "message/global",
            }
            if not is_message or _is_attachment(fields) or _encoding(fields) == b"base64":
                return fields, body
            start = body
        self._note("too_deep")
        return {b"content-type": b"message/rfc822"}, body

    def _open(self, boundary: str, body: int) -> bool:
        """Open a multipart; return True when it has no parts to be found, so that its body is a leaf."""
        if len(self._boundaries) >= MAX_DEPTH:
            self._note("too_deep")
            return False
        mark = boundary.strip().encode()[:MAX_BOUNDARY_BYTES]
        if not mark or self.raw.find(b"--" + mark, body) < 0:
            self._note("broken_boundary")
            likely = _LIKELY_DELIMITER.search(self.raw, body)
            if likely is None:
                return True
            mark = likely[1]
        self._boundaries.append(mark)
        return False

    def _next_delimiter(self, position: int) -> _Delimiter | None:
        """Return the next line that is a delimiter of any open multipart, the innermost of its name."""
        if not self._boundaries:
            return None
        raw = self.raw
        start = position if raw.startswith(b"--", position) else raw.find(b"\n--", position) + 1
        while start > 0 or (start == 0 and position == 0 and raw.startswith(b"--")):
            stop = raw.find(b"\n", start) + 1 or len(raw)
            line = raw[start + 2 : min(stop, start + MAX_BOUNDARY_BYTES + 8)].rstrip()
            for mark, closes in ((line, False), (line.removesuffix(b"--").rstrip(), True)):
                if mark in self._boundaries:
                    level = len(self._boundaries) - 1 - self._boundaries[::-1].index(mark)
                    return _Delimiter(start, stop, level, closes)
            self._dash_lines += 1
            if self._dash_lines > MAX_DASH_LINES:
                self._note("too_many_dashes")
                return None
            start = raw.find(b"\n--", stop - 1) + 1
        return None

    def _take(self, kind: str, charset: str | None, fields: dict[bytes, bytes], body: bytes) -> None:
        """Keep the text of a leaf; other types and attachments are only counted."""
        if kind not in {"text/plain", "text/html"} and not kind.startswith("multipart/"):
            self.attachments += 1
            return
        if _is_attachment(fields):
            self.attachments += 1
            return
        if len(body) > 4 * self._room:
            body = body[: 4 * self._room]
            self._note("text_cut")
        text = _decode_body(_encoding(fields), body)
        if len(text) > self._room:
            text = text[: self._room]
            self._note("text_cut")
        self._room -= len(text)
        if kind == "text/html" or _HTML_START.match(text):
            self.html.append((text, charset))
        elif text:
            self.plain.append(to_utf8(text, charset))


def _is_attachment(fields: dict[bytes, bytes]) -> bool:
    return fields.get(b"content-disposition", b"")[:10].lower() == b"attachment"


def _encoding(fields: dict[bytes, bytes]) -> bytes:
    return fields.get(b"content-transfer-encoding", b"").strip().strip(b"\"'").lower()


def _decode_body(encoding: bytes, body: bytes) -> bytes:
    """Return a body without its transfer encoding; an unknown one is taken for none."""
    if encoding == b"base64":
        return decode_base64(body)
    if encoding == b"quoted-printable":
        return binascii.a2b_qp(_LATE_BREAK.sub(b"=", body) if b"= " in body or b"=\t" in body else body)
    return body
