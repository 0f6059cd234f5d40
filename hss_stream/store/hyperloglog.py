"""The HyperLogLog of Redis, for the store in memory: the same elements give the same count.

16,384 registers, MurmurHash64A, Ertl's improved estimator, as in Redis' `hyperloglog.c`; a test
compares the counts with a real server's.
"""

import math

_REGISTERS = 16_384
_INDEX_BITS = 14
_VALUE_BITS = 50
_SEED = 0xADC83B19
_MULTIPLY = 0xC6A4A7935BD1E995
_WORD = (1 << 64) - 1
_ALPHA = 0.721347520444481703680


def murmur64(element: bytes) -> int:
    """Return MurmurHash64A of an element with Redis' seed."""
    state = _SEED ^ (len(element) * _MULTIPLY & _WORD)
    whole = len(element) & ~7
    for place in range(0, whole, 8):
        word = int.from_bytes(element[place : place + 8], "little") * _MULTIPLY & _WORD
        word = (word ^ (word >> 47)) * _MULTIPLY & _WORD
        state = (state ^ word) * _MULTIPLY & _WORD
    if len(element) > whole:
        state = (state ^ int.from_bytes(element[whole:], "little")) * _MULTIPLY & _WORD
    state = (state ^ (state >> 47)) * _MULTIPLY & _WORD
    return state ^ (state >> 47)


def _sigma(share: float) -> float:
    if share == 1.0:
        return math.inf
    factor, total, before = 1.0, share, math.nan
    while total != before:
        share *= share
        before = total
        total += share * factor
        factor += factor
    return total


def _tau(share: float) -> float:
    if share in {0.0, 1.0}:
        return 0.0
    factor, total, before = 1.0, 1.0 - share, math.nan
    while total != before:
        share = math.sqrt(share)
        before = total
        factor *= 0.5
        total -= (1.0 - share) ** 2 * factor
    return total / 3.0


class HyperLogLog:
    """Registers kept sparsely: a count of distinct elements within about 0.8 %."""

    def __init__(self) -> None:
        self.registers: dict[int, int] = {}

    def add(self, element: bytes) -> None:
        """Count an element."""
        mixed = murmur64(element)
        rest = (mixed >> _INDEX_BITS) | (1 << _VALUE_BITS)
        self.raise_register(mixed & (_REGISTERS - 1), (rest & -rest).bit_length())

    def raise_register(self, index: int, value: int) -> None:
        """Raise one register to at least this value."""
        if value > self.registers.get(index, 0):
            self.registers[index] = value

    def merge(self, other: "HyperLogLog") -> None:
        """Count everything another one has counted."""
        for index, value in other.registers.items():
            self.raise_register(index, value)

    def count(self) -> int:
        """Return the estimated number of distinct elements."""
        histogram = [0] * (_VALUE_BITS + 2)
        for value in self.registers.values():
            histogram[value] += 1
        histogram[0] = _REGISTERS - len(self.registers)
        total = _REGISTERS * _tau((_REGISTERS - histogram[_VALUE_BITS + 1]) / _REGISTERS)
        for value in range(_VALUE_BITS, 0, -1):
            total = (total + histogram[value]) * 0.5
        total += _REGISTERS * _sigma(histogram[0] / _REGISTERS)
        return math.floor(_ALPHA * _REGISTERS * _REGISTERS / total + 0.5)
