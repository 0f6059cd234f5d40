"""Unpacking with a limit: a file of 10 KB that swells to 10 GB costs no more memory than the limit.

Every function gives the unpacked bytes or raises `SourceError`; a result over the limit is an
`OversizedError`, so that callers can tell the two apart.
"""

import gzip
import io
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import cramjam
import zstandard

from hss_stream.errors import SourceError
from hss_stream.sources.record import ProblemReason

GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# Pages stored compressed that are compressed again on disk exist; deeper nesting is an attack.
MAX_LAYERS = 3

# What the standard library, zlib and zstandard raise on a broken or cut stream.
BROKEN_STREAM = (OSError, EOFError, zlib.error, zstandard.ZstdError)


class OversizedError(SourceError):
    """The unpacked body is larger than the limit."""


def read_limited(stream: io.BufferedIOBase | BinaryIO, limit: int) -> bytes:
    """Return the whole stream; OversizedError beyond the limit, SourceError when it is broken."""
    try:
        body = stream.read(limit + 1)
    except BROKEN_STREAM as error:
        raise SourceError(f"unpacking: {error}") from error
    if len(body) > limit:
        raise OversizedError(f"larger than {limit} bytes")
    return body


def unpack_gzip(body: bytes, limit: int) -> bytes:
    """Return gzip'd bytes unpacked, all members; bytes after the last member are ignored."""
    with gzip.GzipFile(fileobj=io.BytesIO(body)) as stream:
        try:
            return read_limited(stream, limit)
        except OversizedError:
            raise
        except SourceError:
            return _unpack_zlib(body, limit, wbits=31)


def unpack_layers(body: bytes, limit: int) -> bytes:
    """Return a body with its gzip layers removed, at most `MAX_LAYERS` of them."""
    for _ in range(MAX_LAYERS):
        if not body.startswith(GZIP_MAGIC):
            return body
        body = unpack_gzip(body, limit)
    return body


def _unpack_zlib(body: bytes, limit: int, wbits: int) -> bytes:
    """Return what a possibly cut zlib stream gives; an error only where it gives nothing or is broken."""
    unpacker = zlib.decompressobj(wbits)
    try:
        unpacked = unpacker.decompress(body, limit + 1)
    except zlib.error as error:
        raise SourceError(f"unpacking: {error}") from error
    if len(unpacked) > limit:
        raise OversizedError(f"larger than {limit} bytes")
    if body and not unpacked and not unpacker.eof:
        raise SourceError("unpacking: the compressed body is cut")
    return unpacked


def _unpack_deflate(body: bytes, limit: int) -> bytes:
    """Return a `deflate` body unpacked: zlib by the standard, raw by some servers."""
    try:
        return _unpack_zlib(body, limit, wbits=15)
    except OversizedError:
        raise
    except SourceError:
        return _unpack_zlib(body, limit, wbits=-15)


def _unpack_brotli(body: bytes, limit: int) -> bytes:
    """Return a brotli body unpacked into a buffer of the limit (the system gives only touched pages)."""
    room = bytearray(limit)
    try:
        size = cramjam.brotli.decompress_into(body, room)
    except cramjam.DecompressionError as error:
        full = "write zero" in str(error) or "failed to write" in str(error)
        kind = OversizedError if full else SourceError
        raise kind(f"unpacking brotli: {error}") from error
    return bytes(memoryview(room)[:size])


def _unpack_zstd(body: bytes, limit: int) -> bytes:
    """Return a zstd body unpacked, all frames."""
    with zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True) as stream:
        return read_limited(stream, limit)


# HTTP content codings; `identity` and unknown ones leave the body as it is.
UNPACKERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": unpack_gzip,
    "x-gzip": unpack_gzip,
    "deflate": _unpack_deflate,
    "br": _unpack_brotli,
    "zstd": _unpack_zstd,
}


class Unpacking(io.RawIOBase):
    """A compressed stream that ends where it breaks, with the error kept in `failure`.

    The bytes before the break are whole records that a reader wants; an exception out of a buffered
    reader would lose those already in its buffer.
    """

    failure: Exception | None = None

    def __init__(self, packed: gzip.GzipFile | zstandard.ZstdDecompressionReader) -> None:
        self._packed = packed

    def readable(self) -> bool:
        """Return True: it is there to be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as one read goes; 0 at the end and where the stream is broken."""
        if self.failure is not None:
            return 0
        try:
            piece = self._packed.read1(len(buffer))
        except BROKEN_STREAM as error:
            self.failure = error
            return 0
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        """Close the compressed stream and its file."""
        self._packed.close()
        super().close()


def open_plain(path: Path) -> io.BufferedReader:
    """Open a file for reading; `.gz` and `.zst` are unpacked as they are read (see `stream_failure`)."""
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return io.BufferedReader(Unpacking(gzip.open(path, "rb")))
    if suffix == ".zst":
        unpacker = zstandard.ZstdDecompressor()
        packed = unpacker.stream_reader(path.open("rb"), read_across_frames=True, closefd=True)
        return io.BufferedReader(Unpacking(packed))
    return path.open("rb")


def stream_failure(stream: object) -> tuple[ProblemReason, str] | None:
    """Return why a stream of `open_plain` ended early, as reason and detail; None if it did not."""
    error = getattr(getattr(stream, "raw", None), "failure", None)
    if error is None:
        return None
    if isinstance(error, EOFError):
        return "truncated", "the compressed file is cut"
    return "unreadable", f"unpacking: {error}"
