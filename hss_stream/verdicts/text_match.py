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

import xxhash

COORDINATES = 11
COORDINATE_SLOTS = 11
SLOTS = 128
SLOT_BYTES = 2
NULL_SIGNATURE = 0
_EMPTY = bytes(COORDINATE_SLOTS * SLOT_BYTES)
_UNUSED = bytes((SLOTS - COORDINATES * COORDINATE_SLOTS) * SLOT_BYTES)

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
    prefix = lexicon.to_bytes(8, "big")
    parts = [
        _EMPTY
        if signature == NULL_SIGNATURE
        else _coordinate_slots(prefix + bytes((coordinate,)) + signature.to_bytes(8, "big"))
        for coordinate, signature in enumerate(signatures)
    ]
    return b"".join(parts) + _UNUSED


def _coordinate_slots(seed: bytes) -> bytes:
    """Return eleven hashes of two bytes, none of them 0, which means empty."""
    wide = (xxhash.xxh3_128_digest(seed) + xxhash.xxh3_64_digest(seed, seed=1))[: len(_EMPTY)]
    if b"\0\0" not in wide:
        return wide
    pairs = (wide[place : place + SLOT_BYTES] for place in range(0, len(wide), SLOT_BYTES))
    return b"".join(b"\0\1" if pair == b"\0\0" else pair for pair in pairs)


def computed_coordinates(signatures: Sequence[int]) -> int:
    """Return how many coordinates of a document are not null; none: too little text to place it."""
    return sum(signature != NULL_SIGNATURE for signature in signatures)


def matching_coordinates(slots: int) -> int:
    """Return how many coordinates agree, from the number of matching slots."""
    return min(COORDINATES, slots // COORDINATE_SLOTS)
