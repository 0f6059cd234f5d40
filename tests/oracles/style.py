"""The style sketch as plainly as possible: gram by gram, slot by slot."""

import numpy as np

from hss_stream.signals.style_sketch import EMPTY_SLOT, TABLE_SEED, splitmix64

WORD = 2**64 - 1
TABLE = splitmix64(TABLE_SEED, 255)


def slow_noise(body: bytes) -> bytes:
    """Return the bytes that are neither ASCII letters or digits nor above 127."""
    return bytes(byte for byte in body if byte < 128 and not chr(byte).isalnum())


def slow_collapse(noise: bytes) -> bytes:
    """Return noise with each run of one byte made one byte."""
    return bytes(byte for at, byte in enumerate(noise) if at == 0 or byte != noise[at - 1])


def rotate(word: int, bits: int) -> int:
    """Return a 64-bit word rotated to the left."""
    return (word << bits | word >> (64 - bits)) & WORD if bits else word


def gram_hash(gram: bytes) -> int:
    """Return the hash of one 32-gram by its definition."""
    value = 0
    for place, byte in enumerate(gram):
        value ^= rotate(TABLE[byte], 31 - place)
    return value


def permute(value: int) -> int:
    """Return the place of a hash in the order that decides which one a slot keeps."""
    mixed = value * 0xFF51AFD7ED558CCD & WORD
    return (mixed ^ mixed >> 32) * 0xC4CEB9FE1A85EC53 & WORD


def slow_grams(noise: bytes) -> set[int]:
    """Return the hashes of all overlapping 32-grams."""
    return {gram_hash(noise[at : at + 32]) for at in range(len(noise) - 31)}


def slow_slots(noise: bytes) -> np.ndarray:
    """Return the least permuted hash of each of 128 slots."""
    slots = [EMPTY_SLOT] * 128
    for value in slow_grams(noise):
        slots[value % 128] = min(slots[value % 128], permute(value))
    return np.array(slots, np.uint64)
