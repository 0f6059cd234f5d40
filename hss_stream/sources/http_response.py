"""An HTTP response as archives store it: status line, headers, body, with its encodings removed.

Archives hold responses as they came over the wire, or half decoded: a body whose header says `gzip` or
`chunked` but which is neither is taken as it is.
"""

import re
from dataclasses import dataclass

from hss_stream.sources.compressed import GZIP_MAGIC, UNPACKERS, ZSTD_MAGIC

# Header blocks of real servers are a few KB; more is an attack on the reader.
MAX_HEADER_BYTES = 256 * 1024

_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})\b")
_END_OF_HEADER = re.compile(rb"\r?\n\r?\n")
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
_HTML_TYPE = re.compile(r"\s*(?:text/html|application/(?:vnd\.wap\.)?xhtml\+xml)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """Status, headers (lower-case names) and body of a response, without its transfer encoding."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def content_type(self) -> str | None:
        """Return the Content-Type header, or None."""
        return self.headers.get("content-type")

    def unpacked_body(self, limit: int) -> bytes:
        """Return the body without its content encodings; SourceError when it is broken or too large."""
        body = self.body
        for coding in reversed(self.headers.get("content-encoding", "").lower().split(",")):
            unpack = UNPACKERS.get(coding.strip())
            if unpack is not None and _is_packed(body, coding.strip()):
                body = unpack(body, limit)
        return body


def _is_packed(body: bytes, coding: str) -> bool:
    """Tell whether a body may really have this coding; recorders often store it decoded."""
    if not body or body.lstrip()[:1] == b"<":
        return False
    if coding in {"gzip", "x-gzip"}:
        return body.startswith(GZIP_MAGIC)
    return coding != "zstd" or body.startswith(ZSTD_MAGIC)


def is_html_type(content_type: str | None) -> bool:
    """Tell whether a Content-Type header names HTML."""
    return content_type is not None and _HTML_TYPE.match(content_type) is not None


def parse_response(block: bytes) -> HttpResponse | None:
    """Return the response in a block of bytes, or None when it is no HTTP response."""
    status = _STATUS.match(block)
    if status is None:
        return None
    end = _END_OF_HEADER.search(block, 0, MAX_HEADER_BYTES)
    if end is None and len(block) > MAX_HEADER_BYTES:
        return None
    header = block[: end.start()] if end else block
    body = block[end.end() :] if end else b""
    headers: dict[str, str] = {}
    for line in header.splitlines()[1:]:
        name, colon, value = line.partition(b":")
        if colon:
            headers.setdefault(name.strip().lower().decode("latin-1"), value.strip().decode("latin-1"))
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = join_chunks(body)
    return HttpResponse(int(status[1]), headers, body)


def join_chunks(body: bytes) -> bytes:
    """Return a chunked body joined; what is not chunked comes back as it is, a cut end as far as it goes."""
    parts: list[bytes] = []
    position = 0
    while (size := _CHUNK_SIZE.match(body, position)) is not None:
        length = int(size[1], 16)
        start = size.end()
        if length == 0:
            return b"".join(parts)
        parts.append(body[start : start + length])
        position = start + length
        if body[position : position + 2] == b"\r\n":
            position += 2
        elif body[position : position + 1] == b"\n":
            position += 1
        elif position < len(body):
            return body
    return b"".join(parts) if parts and position >= len(body) else body
