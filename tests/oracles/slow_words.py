"""Tokens of a text by their definition: decode, look at one character after the other."""

import unicodedata

from hss_stream.signals.letters import DIGIT, LETTER, PASSED_OVER, SEPARATOR
from hss_stream.signals.words import fold_character, word_hash


def slow_tokens(text: bytes) -> list[int]:
    """Return the token of every word and every ASCII punctuation character."""
    runs: list[list[str]] = [[""]]
    for character in text.decode("utf-8", "replace"):
        kind = fold_character(character)[1]
        if kind in {LETTER, DIGIT}:
            runs[-1][-1] += character
        elif kind == SEPARATOR:
            if character.isascii() and character.isprintable() and character != " ":
                runs[-1] += [character, ""]
            else:
                runs.append([""])
    return [token for run in runs for token in _run_tokens([word for word in run if word])]


def _run_tokens(words: list[str]) -> list[int]:
    """Return the tokens of what stands between two separators; in an address none is a candidate."""
    is_address = "@" in words or any([":", "/", "/"] == words[at : at + 3] for at in range(len(words)))
    return [word_hash(word) & ~is_address for word in words]


def slow_class(character: str) -> int:
    """Return what a character is to a word, by its Unicode category."""
    category = unicodedata.category(character)
    if category == "Cf" or "\u0300" <= character <= "\u036f" or "\ufe00" <= character <= "\ufe0f":
        return PASSED_OVER
    return {"L": LETTER, "M": LETTER, "N": DIGIT}.get(category[0], SEPARATOR)


def slow_fold(character: str) -> str:
    """Return the lower-case letter without accent and font variant; itself where that is no single one."""
    if character == "\N{LATIN SMALL LETTER DOTLESS I}":
        return "i"  # its upper case is the I whose lower case is i
    plain = unicodedata.normalize("NFKD", character)
    plain = "".join(part for part in plain if not "\u0300" <= part <= "\u036f")
    plain = plain if len(plain) == 1 else character
    choices = [plain.casefold(), plain.lower(), plain]
    folded = next(choice for choice in choices if len(choice) == 1)
    return folded if folded == character else slow_fold(folded)
