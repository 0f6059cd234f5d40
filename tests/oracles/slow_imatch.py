"""I-Match by its definition: sets of words, sorted lists, one coordinate after the other."""

import math

from hss_stream.signals.lexicon import LexiconSetting

MASK = 2**64 - 1


def slow_mix(value: int) -> int:
    """Return the finaliser of MurmurHash3."""
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & MASK
    return value ^ value >> 33


def slow_has_term(setting: LexiconSetting, copy: int, term: int) -> bool:
    """Tell whether a copy (1 to 10; 0 is the whole lexicon) has a term."""
    if copy == 0:
        return True
    block, part = divmod(copy - 1, 4)
    salt = slow_mix((setting.seed * 0x9E3779B97F4A7C15 + block + 1) & MASK)
    return (slow_mix(term ^ salt) >> 16 * part & 0xFFFF) < round(setting.keep * 65_536)


def slow_levels(frequencies: dict[int, int], documents: int) -> dict[int, int]:
    """Return the level of each word: nidf times 65,535."""
    return {
        word | 1: round(math.log(documents / count) / math.log(documents) * 65_535)
        for word, count in frequencies.items()
    }


def slow_signatures(
    tokens: list[int], levels: dict[int, int], setting: LexiconSetting, identity: int
) -> tuple[int, ...]:
    """Return the eleven signatures of a text."""
    words = {token for token in tokens if token & 1}
    known = {
        word >> 16: levels.get(word, 65_535) for word in words if word in levels or setting.open_vocabulary
    }
    low, high = round(setting.low * 65_535), round(setting.high * 65_535)
    ranked = sorted((level, term) for term, level in known.items() if level >= low)
    signatures = []
    for copy in range(11):
        chosen: list[tuple[int, int]] = []
        for level, term in ranked:
            is_primary = level <= high
            if slow_has_term(setting, copy, term) and (is_primary or not slow_is_enough(chosen, setting)):
                chosen.append((level, term))
        total = sum(slow_mix(term) for _, term in chosen)
        salt = slow_mix(identity ^ copy * 0x9E3779B97F4A7C15 & MASK)
        value = max(slow_mix(total + salt & MASK), 1)
        signatures.append(value if slow_is_enough(chosen, setting) else 0)
    return tuple(signatures)


def slow_is_enough(chosen: list[tuple[int, int]], setting: LexiconSetting) -> bool:
    """Tell whether these terms are many, or a few rare ones."""
    weight = sum(level for level, _ in chosen)
    is_rare = weight >= round(setting.few_weight * 65_535)
    return len(chosen) >= setting.min_terms or (len(chosen) >= setting.few_terms and is_rare)
