"""Text clusters by I-Match, in the clothes of a style sketch: any of 11 coordinates may match.

A document has one signature for the whole lexicon and one for each of ten copies that lack other words. Two
documents are the same text where any coordinate agrees (Kolcz, Chowdhury, Alspector 2004). The store
places sketches of 128 slots of two bytes; so each coordinate fills eleven slots with hashes of its
signature, a null one leaves them empty, and *any coordinate agrees* becomes *at least eleven slots match*:

    slot     0 … 10   11 … 21   …   110 … 120   121 … 127
    holds    whole    copy 1    …   copy 10     nothing

Two different signatures agree on all eleven slots with a chance of 2**-176. Text and mail spaces thereby have
the pins, fences, merges, expiry and twin of the style space, because they are made of the same code. The
lexicon is part of every hash: texts read with two lexicons never match, and the older ones fade out.
"""

from collections.abc import Sequence

import numpy as np
import xxhash
from numpy.typing import NDArray

COORDINATES = 11
COORDINATE_SLOTS = 11
SLOTS = 128
SLOT_BYTES = 2
NULL_SIGNATURE = 0

# One coordinate is enough to join. A document that joins by one alone has ten signatures nobody has seen and
# becomes a representative; one that shares two or more adds little.
JOIN_SLOTS = COORDINATE_SLOTS
NEAR_SLOTS = 2 * COORDINATE_SLOTS
# Coordinates that must agree with *both* clusters before one document makes them one: a single one agrees by
# accident now and then (a short list of rare words), and would chain two campaigns together.
MERGE_SLOTS = 2 * COORDINATE_SLOTS


def text_sketch(lexicon: int, signatures: Sequence[int]) -> bytes:
    """Return the 256 bytes of a document: hashes of (lexicon, coordinate, signature), 0 where null."""
    if len(signatures) != COORDINATES:
        raise ValueError(f"a document has {COORDINATES} signatures, not {len(signatures)}")
    slots = np.zeros(SLOTS, ">u2")
    for coordinate, signature in enumerate(signatures):
        if signature != NULL_SIGNATURE:
            start = coordinate * COORDINATE_SLOTS
            slots[start : start + COORDINATE_SLOTS] = _coordinate_slots(lexicon, coordinate, signature)
    return slots.tobytes()


def _coordinate_slots(lexicon: int, coordinate: int, signature: int) -> NDArray[np.uint16]:
    """Return eleven hashes of two bytes, none of them 0, which means empty."""
    seed = lexicon.to_bytes(8, "big") + bytes([coordinate]) + signature.to_bytes(8, "big")
    wide = xxhash.xxh3_128_digest(seed) + xxhash.xxh3_64_digest(seed, seed=1)
    hashes = np.frombuffer(wide, ">u2", COORDINATE_SLOTS).astype(np.uint16)
    hashes[hashes == 0] = 1
    return hashes


def computed_coordinates(signatures: Sequence[int]) -> int:
    """Return how many coordinates of a document are not null; none: too little text to place it."""
    return sum(signature != NULL_SIGNATURE for signature in signatures)


def matching_coordinates(slots: int) -> int:
    """Return how many coordinates agree, from the number of matching slots."""
    return min(COORDINATES, slots // COORDINATE_SLOTS)
