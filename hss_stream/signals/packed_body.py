"""Bodies that arrive gzip'd: unpacked as they come, and never beyond a limit.

A page read compressed looks like noise and matches nothing, and some archives store pages so. A packed
page of a megabyte can hold a gigabyte, so unpacking stops at MAX_UNPACKED; what is damaged ends there.
"""

import zlib
from collections.abc import Iterator

MAGIC = b"\x1f\x8b"
MAX_UNPACKED = 64 << 20
_PIECE = 1 << 18
_GZIP_WINDOW = 31


class GzipBody:
    """Unpacks one gzip'd body, members joined, in any split."""

    def __init__(self) -> None:
        self._unpacker = zlib.decompressobj(_GZIP_WINDOW)
        self._left = MAX_UNPACKED
        self._ended = False

    def unpack(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what the next bytes unpack to, in pieces; nothing more after damage or the limit."""
        while chunk and not self._ended:
            if self._unpacker.eof:
                self._unpacker = zlib.decompressobj(_GZIP_WINDOW)
            try:
                piece = self._unpacker.decompress(chunk, min(_PIECE, self._left))
            except zlib.error:
                self._ended = True
                return
            self._left -= len(piece)
            self._ended = self._left == 0
            if piece:
                yield piece
            chunk = self._unpacker.unused_data if self._unpacker.eof else self._unpacker.unconsumed_tail
