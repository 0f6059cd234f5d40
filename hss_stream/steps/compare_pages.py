"""Every distance between two bodies: what `hss-stream compare` prints."""

from hss_stream.signals.page_scan import PageScan
from hss_stream.signals.style_grams import exact_dice, exact_jaccard, style_grams
from hss_stream.signals.style_sketch import SLOTS
from hss_stream.signals.tag_structure import length_distance, rough_distance, tag_distance, tag_structure
from hss_stream.steps.score_page import Reading, without_missing
from hss_stream.steps.text_signals import Block, Missing, imatch_comparison
from hss_stream.verdicts.style_match import is_same_style, matching_slots


def compare_pages(first: Reading, second: Reading) -> Block:
    """Return the blocks `style`, `imatch` and `structure` of a pair; missing ones are None, with `why`."""
    blocks: dict[str, Block | str | Missing] = {
        "style": Missing("no markup to compare"),
        "imatch": imatch_comparison(first.text, second.text),
        "structure": Missing("no markup to compare"),
    }
    if first.scan and second.scan:
        blocks["style"] = style_comparison(first.scan, second.scan) | exact_comparison(first, second)
        blocks["structure"] = structure_comparison(first.scan, second.scan)
    return without_missing(blocks)


def style_comparison(first: PageScan, second: PageScan) -> Block:
    """Return matching slots and the similarity they estimate."""
    matching = matching_slots(first.style.to_bytes(), second.style.to_bytes())
    return {
        "format": first.style.format,
        "matching_slots": matching,
        "slots": SLOTS,
        "similarity": matching / SLOTS,
        "same": is_same_style(matching),
    }


def exact_comparison(first: Reading, second: Reading) -> Block:
    """Return the exact measures on the full gram sets of two pages."""
    one, other = (style_grams(reading.html, reading.html_type) for reading in (first, second))
    return {"jaccard": exact_jaccard(one, other), "dice": exact_dice(one, other)}


def structure_comparison(first: PageScan, second: PageScan) -> Block:
    """Return R, F and D of two pages."""
    one, other = (tag_structure(scan.tags, scan.tag_lengths) for scan in (first, second))
    return {
        "r": rough_distance(one, other),
        "f": length_distance(one, other),
        "d": tag_distance(one, other),
    }
