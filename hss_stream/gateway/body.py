"""Reading a body within limits: of bytes as sent, of bytes unpacked, and of time.

A few kilobytes of zip can unpack to gigabytes; so unpacking stops at the limit, not after it.
"""

import asyncio
import zlib

import zstandard
from aiohttp import web

from hss_stream.gateway.problem import Problem

_GZIP_WINDOW = 16 + zlib.MAX_WBITS
ENCODINGS = "gzip, deflate, zstd"


async def read_body(request: web.BaseRequest, max_bytes: int, seconds: float) -> bytes:
    """Return the body, unpacked; raise the problem of one too large, too slow or not readable."""
    if (request.content_length or 0) > max_bytes:
        raise _too_large(max_bytes)
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0
    try:
        async with asyncio.timeout(seconds):
            body = await _read_bytes(request, max_bytes)
    except TimeoutError:
        raise Problem("too-slow", f"the body took over {seconds:g} seconds", headers=_CLOSE) from None
    except (web.RequestPayloadError, ConnectionError, ValueError):
        raise Problem("bad-request", "the body ended early or is badly framed", headers=_CLOSE) from None
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    return body if encoding == "identity" else unpack(body, encoding, max_bytes)


_CLOSE = {"Connection": "close"}


def _too_large(max_bytes: int) -> Problem:
    # The rest of the body is not read: the connection ends with this answer.
    return Problem("too-large", f"at most {max_bytes} bytes, as sent and unpacked", headers=_CLOSE)


async def _read_bytes(request: web.BaseRequest, max_bytes: int) -> bytes:
    chunks = []
    size = 0
    while chunk := await request.content.readany():
        size += len(chunk)
        if size > max_bytes:
            raise _too_large(max_bytes)
        chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def unpack(body: bytes, encoding: str, max_bytes: int) -> bytes:
    """Return the content of a packed body, at most `max_bytes` of it."""
    unpackers = {"gzip": _gunzip, "x-gzip": _gunzip, "deflate": _inflate, "zstd": _unzstd}
    if encoding not in unpackers:
        raise Problem(
            "wrong-type", "the content encoding is not known here", headers={"Accept-Encoding": ENCODINGS}
        )
    try:
        content = unpackers[encoding](body, max_bytes + 1)
    except (zlib.error, zstandard.ZstdError, EOFError):
        raise Problem("bad-request", "the body is not what its content encoding says") from None
    if len(content) > max_bytes:
        raise _too_large(max_bytes)
    return content


def _gunzip(body: bytes, limit: int) -> bytes:
    return _unzip(body, limit, _GZIP_WINDOW)


def _inflate(body: bytes, limit: int) -> bytes:
    try:
        return _unzip(body, limit, zlib.MAX_WBITS)
    except zlib.error:
        # Some clients send the bare stream under the same name.
        return _unzip(body, limit, -zlib.MAX_WBITS)


def _unzip(body: bytes, limit: int, window: int) -> bytes:
    unpacker = zlib.decompressobj(wbits=window)
    content = unpacker.decompress(body, limit)
    if len(content) < limit and not unpacker.eof:
        raise EOFError
    return content


def _unzstd(body: bytes, limit: int) -> bytes:
    # The window is what a frame may ask for in memory before it gives a byte.
    reader = zstandard.ZstdDecompressor(max_window_size=1 << 23).stream_reader(body)
    chunks = []
    room = limit
    while room and (chunk := reader.read(min(room, 1 << 20))):
        chunks.append(chunk)
        room -= len(chunk)
    return b"".join(chunks)
