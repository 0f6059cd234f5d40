"""Pinned decisions as bytes: everything in a page's events that depends on what the store held.

A block is a format number and one entry a page. `extra` is for later steps (labels, verdicts): they add
what their events need, in their own format, and a page delivered again finds it there.
"""

import struct
from dataclasses import dataclass
from itertools import pairwise

from hss_stream.errors import StoreError
from hss_stream.store.cluster_store import PinnedBlock
from hss_stream.verdicts.placing import Decision

PIN_FORMAT = 1
# offset (from the block's first), outcome, slots, inward, links, alike, parts | four names | probes |
# counts of path, merges, URL bytes, evicted lows, extra bytes | known links, fake text of the host
_ENTRY = struct.Struct("<IBBBBBBQQQQIBBBBHBIII")
_NAME = struct.Struct("<Q")


@dataclass(slots=True)
class PinnedPage:
    """A decision and what else must not be looked up again.

    `representative_url` is that of the matched representative; `evicted_lows` the 40 bytes by
    which an evicted one is found in the index.
    """

    decision: Decision
    representative_url: bytes = b""
    evicted_lows: bytes = b""
    extra: bytes = b""


def pack_pins(first: int, pages: list[PinnedPage]) -> bytes:
    """Return the block of pinned pages whose first offset is `first`."""
    parts = [bytes((PIN_FORMAT,))]
    for page in pages:
        one = page.decision
        parts.append(
            _ENTRY.pack(
                one.offset - first,
                one.outcome,
                one.slots,
                one.inward,
                one.links,
                one.alike,
                one.parts,
                one.cluster,
                one.representative,
                one.becomes,
                one.evicted,
                one.probes,
                len(one.path),
                len(one.merges),
                len(page.representative_url),
                len(page.evicted_lows),
                len(page.extra),
                one.known,
                *one.host,
            )
        )
        parts.extend(_NAME.pack(name) for name in (*one.path, *one.merges))
        parts += (page.representative_url, page.evicted_lows, page.extra)
    return b"".join(parts)


def unpack_pins(block: PinnedBlock) -> list[PinnedPage]:
    """Return the pinned pages of a block."""
    blob = block.blob
    if blob[0] != PIN_FORMAT:
        raise StoreError(
            f"reading pins: they have format {blob[0]}, this program writes {PIN_FORMAT}; "
            "let the version that wrote them finish its pages first"
        )
    pages: list[PinnedPage] = []
    place = 1
    while place < len(blob):
        values = _ENTRY.unpack_from(blob, place)
        place += _ENTRY.size
        paths, merges, url, lows, extra = values[12:17]
        names = struct.unpack_from(f"<{paths + merges}Q", blob, place)
        place += 8 * len(names)
        cuts = [place, place + url, place + url + lows, place + url + lows + extra]
        place = cuts[-1]
        decision = Decision(
            block.first + values[0], values[1], values[7], values[8], values[2], values[3], values[4],
            values[5], values[6], names[:paths], names[paths:], values[9], values[11], values[10],
            values[17], values[18:21],
        )  # fmt: skip
        pages.append(PinnedPage(decision, *(blob[one:two] for one, two in pairwise(cuts))))
    return pages
