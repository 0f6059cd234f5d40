"""Tag names as small integers, and what the scanner must know about each.

A known name has its place in NAMES as id; the list only ever grows at its end, because tag sequences
are stored. Any other name has an id from 256 on, made of its hash: equal names are equal everywhere,
and two different unknown names of one length are confused once in 2,490.
A name is compared by its length and its last eight bytes, bit 5 of each set, which lowers ASCII letters.
"""

import numpy as np


def _words(text: str) -> list[str]:
    return text.split()


NAMES = _words("""
a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink
blockquote body br button canvas caption center cite code col colgroup data datalist dd del details dfn
dialog dir div dl dt em embed fieldset figcaption figure font footer form frame frameset g h1 h2 h3 h4 h5
h6 head header hgroup hr html i iframe img input ins isindex kbd keygen label legend li link listing main
map mark marquee math menu menuitem meta meter nav nobr noembed noframes noscript object ol optgroup
option output p param path picture plaintext pre progress q rb rp rt rtc ruby s samp script section
select slot small source span strike strong style sub summary sup svg table tbody td template textarea
tfoot th thead time title tr track tt u ul use var video wbr xmp polygon circle rect defs symbol
lineargradient stop clippath
""")

# Their boundaries separate words; the others' do not.
BLOCK_NAMES = _words("""
address article aside blockquote body br button canvas caption center dd details dialog dir div dl dt
fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe
img input li link listing main menu menuitem meta nav noframes noscript object ol optgroup option p
plaintext pre section select source summary svg table tbody td template textarea tfoot th thead title tr
track ul video audio xmp script style
""")
VOID_NAMES = _words("""
area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr
""")
# An open element of these names ends where the next of the same name begins.
SELF_ENDING_NAMES = _words("""
p li dd dt option optgroup tr td th
""")
# They follow what is written, not the template it is written into: format 2 of the sketch leaves them out.
# So do drawings: a set of icons that two unrelated sites share outweighs all the markup of their own.
# Part of that format, and frozen with it; no name here may contain noise.
FORMATTING_NAMES = _words("""
b i em strong code tt br sup sub var kbd samp cite q small big font u s wbr abbr acronym
path g use polygon circle rect defs symbol lineargradient stop clippath
""")

# Elements whose content is not markup. Up to LAST_UNSEEN_RAW their text is not shown either.
SCRIPT, STYLE, IFRAME, NOEMBED, NOFRAMES, TITLE, TEXTAREA, XMP, PLAINTEXT = range(1, 10)
LAST_UNSEEN_RAW = NOFRAMES
RAW_KINDS = {
    "script": SCRIPT,
    "style": STYLE,
    "iframe": IFRAME,
    "noembed": NOEMBED,
    "noframes": NOFRAMES,
    "title": TITLE,
    "textarea": TEXTAREA,
    "xmp": XMP,
    "plaintext": PLAINTEXT,
}

TAG_A, TAG_AREA, TAG_BASE = NAMES.index("a"), NAMES.index("area"), NAMES.index("base")
TAG_IFRAME, TAG_FRAME = NAMES.index("iframe"), NAMES.index("frame")
TAG_SVG, TAG_MATH, TAG_TEMPLATE = NAMES.index("svg"), NAMES.index("math"), NAMES.index("template")

# Bit flags of TAG_FLAGS; the raw kind is in the bits from RAW_SHIFT on.
BLOCK_FLAG, VOID_FLAG, SELF_ENDING_FLAG, SPECIAL_FLAG, FORMATTING_FLAG = 1, 2, 4, 8, 16
RAW_SHIFT = 5

FIRST_UNKNOWN = 256
# An unknown name's id also tells the bin of its length, so that equal tags never differ in length (F ≤ D of
# tag_structure.py rests on it). Twice the largest id stays below 0xD800, so a tag is a character.
UNKNOWN_HASHES = 2490
UNKNOWN_IDS = UNKNOWN_HASHES * 11
WORD = 2**64 - 1
LENGTH_FACTOR = 0x9E3779B97F4A7C15
LOOKUP_BITS = 12


def name_key(name: bytes) -> int:
    """Return the key of a tag name: its last 8 bytes with bit 5 set, plus its length times a constant."""
    packed = 0
    for byte in name:
        packed = (packed << 8 | byte | 0x20) & WORD
    return (packed + len(name) * LENGTH_FACTOR) & WORD


def _spread_keys(keys: list[int]) -> tuple[int, list[int]]:
    """Return the first odd multiplier whose top bits tell all keys apart, and each key's place."""
    for attempt in range(1, 100_000):
        multiplier = (attempt * 0xD1342543DE82EF95 | 1) & WORD
        places = [(key * multiplier & WORD) >> (64 - LOOKUP_BITS) for key in keys]
        if len(set(places)) == len(places):
            return multiplier, places
    raise ValueError("making the table of tag names: no multiplier tells them apart")


def _lookup_tables() -> tuple[np.uint64, np.ndarray, np.ndarray]:
    keys = [name_key(name.encode()) for name in NAMES]
    multiplier, places = _spread_keys(keys)
    key_at = np.zeros(1 << LOOKUP_BITS, np.uint64)
    tag_at = np.zeros(1 << LOOKUP_BITS, np.int64)
    for tag, place in enumerate(places):
        key_at[place] = keys[tag]
        tag_at[place] = tag
    return np.uint64(multiplier), key_at, tag_at


def _flags_of(name: str) -> int:
    return (
        BLOCK_FLAG * (name in BLOCK_NAMES)
        | VOID_FLAG * (name in VOID_NAMES)
        | SELF_ENDING_FLAG * (name in SELF_ENDING_NAMES)
        | SPECIAL_FLAG * (name in {"svg", "math", "template"})
        | FORMATTING_FLAG * (name in FORMATTING_NAMES)
        | RAW_KINDS.get(name, 0) << RAW_SHIFT
    )


NAME_MULTIPLIER, KEY_AT, TAG_AT = _lookup_tables()
TAG_FLAGS = np.zeros(FIRST_UNKNOWN + UNKNOWN_IDS, np.uint16)
TAG_FLAGS[: len(NAMES)] = [_flags_of(name) for name in NAMES]
RAW_KEYS = np.zeros(16, np.uint64)
for _name, _kind in RAW_KINDS.items():
    RAW_KEYS[_kind] = name_key(_name.encode())
