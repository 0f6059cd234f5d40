"""All signals of one page, message or text, without a store: what `hss-stream score` prints.

Reads nothing and writes nothing but its argument and its result. A block that cannot be computed is None,
and `why` names the reason under the block's name.
"""

from dataclasses import dataclass

from hss_stream.signals.page_scan import PageScan, scan_page
from hss_stream.signals.style_sketch import StyleSketch
from hss_stream.sources.mail import parse_mail
from hss_stream.sources.mail_charset import text_to_utf8
from hss_stream.sources.record import Kind
from hss_stream.steps.text_signals import Block, Missing, faketext_block, fingerprint_of, imatch_block


@dataclass(frozen=True, slots=True)
class Reading:
    """A body as the signals see it: its text, and its scan when it has markup."""

    kind: Kind
    text: bytes
    scan: PageScan | None
    html: bytes = b""
    html_type: str | None = None


def read_body(body: bytes, kind: Kind, content_type: str | None = None) -> Reading:
    """Return a body as the signals see it: markup of a page or of a message's HTML part, and the text."""
    if kind == "page":
        scan = scan_page(body, content_type)
        return Reading(kind, scan.text, scan, body, content_type)
    if kind == "text":
        return Reading(kind, text_to_utf8(body), None)
    mail = parse_mail(body)
    markup = scan_page(mail.html, mail.html_type) if mail.html else None
    return Reading(kind, mail.shown_text(markup.text if markup else b""), markup, mail.html, mail.html_type)


def score_page(body: bytes, kind: Kind, content_type: str | None = None) -> Block:
    """Return the blocks `style`, `imatch`, `structure`, `faketext` and the fingerprint of a body."""
    reading = read_body(body, kind, content_type)
    scan = reading.scan
    no_markup = Missing("no markup: a text" if kind == "text" else "no HTML part")
    sketch = scan.style.to_bytes() if scan else None
    blocks: dict[str, Block | str | Missing] = {
        "style": style_block(scan.style) if scan else no_markup,
        "imatch": imatch_block(reading.text, scan.hidden_text_bytes if scan else 0),
        "structure": structure_block(scan) if scan else no_markup,
        "faketext": faketext_block(reading.text),
        "fingerprint": fingerprint_of(kind, reading.text, sketch),
    }
    return {"kind": kind, "bytes": len(body), **without_missing(blocks)}


def without_missing(blocks: dict[str, Block | str | Missing]) -> Block:
    """Return the blocks with None for the missing ones and their reasons under `why`."""
    found: Block = {name: None if isinstance(block, Missing) else block for name, block in blocks.items()}
    why = {name: block.why for name, block in blocks.items() if isinstance(block, Missing)}
    return {**found, "why": why} if why else found


def style_block(sketch: StyleSketch) -> Block:
    """Return the style block of a page."""
    return {
        "format": sketch.format,
        "noise_bytes": sketch.noise_bytes,
        "grams": sketch.grams,
        "slots_filled": sketch.slots_filled,
        "sketch": sketch.to_bytes().hex(),
        "too_little_style": sketch.is_degenerate,
    }


def structure_block(scan: PageScan) -> Block:
    """Return the structure block of a page."""
    return {"tags": len(scan.tags), "tag_lengths": scan.tag_lengths.tolist()}
