"""Cluster ids: 8 bytes that say which page opened the cluster and where its state lives.

    offset of the page, 40 bits | source, 16 bits | shard, 8 bits

Integers in rising order are clusters from old to young (within a source exactly, between sources by
offset), which gives merges a total order. A source number is never reused, so neither is an id.
Text form: the letter of the space and 16 hex digits. Representatives are named in the same way.
"""

OFFSET_BITS = 40
SOURCE_BITS = 16
SHARD_BITS = 8
MAX_OFFSET = (1 << OFFSET_BITS) - 1
MAX_SOURCE = (1 << SOURCE_BITS) - 1

STYLE = "s"
TEXT = "t"
MAIL = "m"
SPACES = {STYLE: "style", TEXT: "text", MAIL: "mail"}

# Knuth's multiplicative hash: consecutive offsets go to different shards.
_SPREAD = 2_654_435_761


def make_id(offset: int, source: int, shard: int) -> int:
    """Return the id of what the page at this offset of this source opens on this shard."""
    if not 0 <= offset <= MAX_OFFSET or not 0 <= source <= MAX_SOURCE:
        raise ValueError(f"making a cluster id: offset {offset} or source {source} is out of range")
    return (offset << (SOURCE_BITS + SHARD_BITS)) | (source << SHARD_BITS) | shard


def shard_of(identity: int) -> int:
    """Return the shard that holds the state of a cluster or representative."""
    return identity & 0xFF


def offset_of(identity: int) -> int:
    """Return the offset of the page that opened it."""
    return identity >> (SOURCE_BITS + SHARD_BITS)


def source_of(identity: int) -> int:
    """Return the source of the page that opened it."""
    return (identity >> SHARD_BITS) & MAX_SOURCE


def spread_shard(offset: int, source: int, shards: int) -> int:
    """Return the shard for a cluster opened by this page: a fixed function, so that replays agree."""
    return (((offset + source) * _SPREAD & 0xFFFFFFFF) >> 7) % shards


def to_text(space: str, identity: int) -> str:
    """Return the id as users see it, for instance `s00000000120001ab`."""
    return f"{space}{identity:016x}"


def from_text(text: str) -> tuple[str, int]:
    """Return space letter and number of an id; ValueError when it is none."""
    if len(text) != 17 or text[0] not in SPACES or text[1:].strip("0123456789abcdef"):
        raise ValueError(f"{text[:40]!r} is no cluster id: give s, t or m and 16 hex digits")
    return text[0], int(text[1:], 16)
