"""The style sketch: frozen values, the byte form, and sketches that must never match."""

import hashlib
import random

import numpy as np
import pytest

from hss_stream.signals.style_sketch import (
    EMPTY_SLOT,
    SLOTS,
    StyleSketch,
    StyleSketcher,
    merge_sketches,
    sketch_style,
)

MARKS = b"<>/=\"'!?.,;: \n"
PAGE = b"".join(b"<p %c%d%c>" % (MARKS[n * n % 14], n, MARKS[n * n // 14 % 14]) for n in range(600))


def test_sketch_is_frozen():
    """Stored sketches stay comparable: the same page gives these bytes on every platform for ever."""
    sketch = sketch_style(PAGE)

    assert (1, 3000, 2969) == (sketch.format, sketch.noise_bytes, sketch.grams)
    assert (
        "36d344fa728d3c58c1b8fc4c25621186"
        == hashlib.sha256(sketch.values.astype("<u8").tobytes()).hexdigest()[:32]
    )
    assert "0223db1d27e20353dc8b53518432669a" == sketch.to_bytes()[:16].hex()


def test_sketch_ignores_words():
    """Letters, digits and bytes above 127 leave no trace."""
    assert sketch_style(PAGE) == sketch_style(PAGE.replace(b"class", b"Zig9").replace(b"p", b"\xc3\xa9"))


@pytest.mark.parametrize("seed", range(5))
def test_any_split_is_equal(seed):
    """A page in chunks has the sketch of the whole page."""
    chance = random.Random(seed)
    sketcher = StyleSketcher()
    at = 0
    while at < len(PAGE):
        size = chance.choice((0, 1, 2, 31, 32, 33, 500, 9000))
        sketcher.update(PAGE[at : at + size])
        at += size

    assert sketch_style(PAGE) == sketcher.finish()


def test_sketcher_begins_again():
    """A finished sketcher leaves nothing behind for the next page."""
    sketcher = StyleSketcher()
    sketcher.update(PAGE[::-1])
    sketcher.finish()
    sketcher.update(PAGE)

    assert sketch_style(PAGE) == sketcher.finish()


def test_byte_form_marks_empty():
    """In the byte form 0 means empty, so a value whose low bits are 0 is written as 1."""
    values = np.full(SLOTS, EMPTY_SLOT, np.uint64)
    values[:3] = [0x50000, 0xABCD1234, 0]
    sketch = StyleSketch(1, 40, 9, values)

    assert bytes.fromhex("0001 1234 0001") + bytes(250) == sketch.to_bytes()
    assert [0x50000, 0xABCD1234, 1, 0] == list(sketch.probe_words()[:4])
    assert 3 == sketch.slots_filled


@pytest.mark.parametrize("page", [b"", b"plain words only", b"<p>" * 10, b"." * 10_000])
def test_little_style_is_degenerate(page):
    """A page with few different grams has too little style to be compared."""
    assert sketch_style(page).is_degenerate


def test_common_page_is_not_degenerate():
    """A page of a few hundred different grams can be compared."""
    assert not sketch_style(PAGE).is_degenerate


def test_merge_takes_the_least():
    """The merged sketch is the sketch of all grams of both."""
    first, second = sketch_style(PAGE[:700]), sketch_style(PAGE[700:])
    merged = merge_sketches(first, second)

    assert np.array_equal(np.minimum(first.values, second.values), merged.values)


def test_merge_refuses_other_formats():
    """Sketches of two formats have nothing in common."""
    sketch = sketch_style(PAGE)
    with pytest.raises(ValueError, match="formats 1 and 2"):
        merge_sketches(sketch, StyleSketch(2, sketch.noise_bytes, sketch.grams, sketch.values))
