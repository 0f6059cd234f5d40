"""Reading a page: one pass over its bytes gives both sketches, its tags, its visible text and its links.

The scanner is no parser: it builds no tree and repairs nothing, so it is linear in time and bounded in
memory for any input, and any split of the page into chunks gives the same result. What it makes of
broken markup, hidden text, charsets and compressed bodies is in docs/algorithms/page.md.
"""

import codecs
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals import page_state as ps
from hss_stream.signals.charset import HEAD_BYTES, UTF_8, detect_charset, needs_decoder, repair_utf8
from hss_stream.signals.packed_body import MAGIC, GzipBody
from hss_stream.signals.page_kernel import scan_chunk
from hss_stream.signals.style_sketch import (
    BLOCK_BYTES,
    DEFAULT_FORMAT,
    EMPTY_SLOT,
    PAPER_FORMAT,
    SLOTS,
    StyleSketch,
    make_noise_buffer,
    make_sketch,
)
from hss_stream.signals.wide_bytes import WIDTH

_EMPTY_SLOTS = np.full(2 * SLOTS, EMPTY_SLOT, np.uint64)
_NO_LENGTHS = np.zeros(ps.LENGTH_BINS, np.int64)


@dataclass(frozen=True, eq=False)
class PageScan:
    """What one pass over a page gives; text, title and links are UTF-8."""

    body_bytes: int
    charset: str
    style: StyleSketch
    paper_style: StyleSketch
    tags: NDArray[np.uint16]  # 2 x id of the name, + 1 for an end tag; the first 65,536
    tag_lengths: NDArray[np.int64]  # how many tag names have 1, 2 … 10, 11 or more bytes
    text: bytes
    hidden_text_bytes: int
    title: bytes
    links: tuple[bytes, ...]
    base: bytes  # the first <base href>, to which relative links refer


class PageScanner:
    """Scans pages one after the other: `begin`, any number of `update`, `finish`. One per thread."""

    def __init__(self) -> None:
        self._state = np.zeros(ps.STATE_FIELDS, np.int64)
        self._block = make_noise_buffer()
        self._noise = make_noise_buffer()
        self._markup = make_noise_buffer()
        self._runs = make_noise_buffer()
        self._tags = np.empty(ps.MAX_TAGS, np.uint16)
        self._text = np.empty(ps.MAX_TEXT + 2 * ps.TEXT_MARGIN + BLOCK_BYTES + WIDTH, np.uint8)
        self._links = np.empty(ps.MAX_LINKS + WIDTH, np.uint8)
        self._scratch = np.empty(ps.SCRATCH_BYTES, np.uint8)
        self.begin()

    def begin(self, content_type: str | None = None) -> None:
        """Forget the page before and begin a new one, fetched with this Content-Type."""
        self._state.fill(0)
        # These two go with the page, so that `finish` need not copy them.
        self._slots = _EMPTY_SLOTS.copy()
        self._lengths = _NO_LENGTHS.copy()
        self._content_type = content_type
        self._charset = UTF_8
        self._body_bytes = 0
        self._first = b""
        self._gzip: GzipBody | None = None
        self._head: bytes | None = b""
        self._decoder: codecs.IncrementalDecoder | None = None

    def update(self, chunk: bytes) -> None:
        """Take the next bytes of the page, as they were fetched."""
        if self._body_bytes < len(MAGIC):
            # Two bytes tell a compressed body; they may come one by one.
            self._first += chunk
            self._body_bytes += len(chunk)
            if self._body_bytes < len(MAGIC):
                return
            chunk, self._first = self._first, b""
            self._gzip = GzipBody() if chunk.startswith(MAGIC) else None
        else:
            self._body_bytes += len(chunk)
        if self._gzip is None:
            self._read(chunk)
        else:
            for piece in self._gzip.unpack(chunk):
                self._read(piece)

    def finish(self) -> PageScan:
        """Return what the page gave; `begin` before the next one."""
        if self._first:
            self._read(self._first)
        if self._head is not None:
            self._decide_charset(self._head)
        if self._decoder is not None:
            self._scan(self._decoder.decode(b"", final=True).encode())
        state = self._state.tolist()
        length = state[ps.TEXT_LENGTH]
        title = self._scratch[ps.TITLE_AT : ps.TITLE_AT + state[ps.TITLE_LENGTH]].tobytes()
        if state[ps.TITLE_STATE] == ps.IN_TITLE:
            # The page ended inside its title.
            begin = state[ps.TITLE_FROM]
            title = self._text[begin : min(length, begin + ps.MAX_TITLE)].tobytes()
            length = begin
        links = self._links[: state[ps.LINKS_LENGTH]].tobytes()
        base = self._scratch[ps.BASE_AT : ps.BASE_AT + state[ps.BASE_LENGTH]].tobytes()
        return PageScan(
            body_bytes=self._body_bytes,
            charset=self._charset,
            style=make_sketch(DEFAULT_FORMAT, state[ps.MARKUP_COUNT], self._slots[SLOTS:]),
            paper_style=make_sketch(PAPER_FORMAT, state[ps.PAPER_COUNT], self._slots[:SLOTS]),
            tags=self._tags[: state[ps.TAG_COUNT]].copy(),
            tag_lengths=self._lengths,
            text=repair_utf8(self._text[: min(length, ps.MAX_TEXT)].tobytes().strip()),
            hidden_text_bytes=state[ps.HIDDEN_BYTES],
            title=repair_utf8(title.strip()),
            links=tuple(repair_utf8(links).split(b"\n")[:-1]),
            base=repair_utf8(base),
        )

    def _read(self, chunk: bytes) -> None:
        """Take unpacked bytes; the first ones wait until the charset is known."""
        if self._head is None:
            self._decode(chunk)
        else:
            self._head += chunk
            if len(self._head) >= HEAD_BYTES:
                self._decide_charset(self._head)

    def _decide_charset(self, head: bytes) -> None:
        self._head = None
        self._charset, mark = detect_charset(head[:HEAD_BYTES], self._content_type)
        if needs_decoder(self._charset):
            self._decoder = codecs.getincrementaldecoder(self._charset)(errors="replace")
        self._decode(head[mark:])

    def _decode(self, chunk: bytes) -> None:
        self._scan(chunk if self._decoder is None else self._decoder.decode(chunk).encode())

    def _scan(self, chunk: bytes) -> None:
        scan_chunk(
            np.frombuffer(chunk, np.uint8),
            self._state,
            self._slots,
            self._block,
            self._noise,
            self._markup,
            self._runs,
            self._tags,
            self._lengths,
            self._text,
            self._links,
            self._scratch,
        )


def scan_page(body: bytes, content_type: str | None = None) -> PageScan:
    """Return what one pass over a whole page gives; a loop over pages should keep a PageScanner."""
    scanner = PageScanner()
    scanner.begin(content_type)
    scanner.update(body)
    return scanner.finish()
