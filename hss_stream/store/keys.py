"""Every key of the store, spelled once.

    <prefix>{shard}<letter><format><rest>      the braces make one hash slot of everything a shard holds

| letter | one a … | value |
| --- | --- | --- |
| b | probe, lower half of its word | index: entries of [upper half, 2 bytes][representative, 8 bytes] |
| r | representative | owner, sketch, text parts, URL (`records.py`) |
| s t m | cluster of the space | packed record (`records.py`) |
| h | space, cluster with more than 32 domains | HyperLogLog of domains |
| q | space, merged cluster being drained | what its survivor has not acknowledged yet |
| k | space, cluster that took others over | hash: merged cluster → last drain taken |
| l | labelled cluster | who said what it is (`scripts/common.lua`) |
| y | labelled cluster | list of the last words on it (`scripts/apply.lua`) |
| d | domain | packed record (`records.py`) |
| w v | hour | expiry wheels of clusters and of domains: lists of names |
| z | | sorted set of the hours whose lists hold something |
| c | | the shard's clock, seconds of page time |
| f | source | fence: last offset applied to this shard |
| o | source | outbox: results of offsets not committed yet |
| e | | outbox of timers: list of expired clusters' last records |
| F P | source, on its home shard | pin fence; hash: first and last offset → pinned decisions |
| I D L | source, on its home shard | offsets in hand; committed offset; hash: offset → dead letter |
| N M | on shard 0 | sources by name; what the store was made with |

and in the store of name servers (`provider_store.py`), beside c, f, o, z, N and M:

| letter | one a … | value |
| --- | --- | --- |
| n | provider | packed record with its last event (`provider_records.py`) |
| p | provider | sample of its sites |
| g | domain | who serves its name: 12 bytes a provider, at most 8 |
| u v | hour | expiry wheels of providers and of domains |
| x | source | hash: offset and provider → events not committed yet |
| F | source, on its home shard | last offset of `hss.sites` applied |
| a | | hash: state → number of providers |
| e | | outbox of timers: list of expired providers |

Scripts build keys from the part before the letter, so the letters and formats below are repeated in
the heads of `scripts/*.lua`, and a test compares them. A new layout of a value takes a new format
number beside the old one.
"""

FORMATS = {
    "b": 1, "r": 1, "s": 1, "t": 1, "m": 1, "h": 1, "q": 1, "k": 1, "l": 1, "y": 1, "d": 1, "w": 1, "v": 1,
    "z": 1, "c": 1, "f": 1, "o": 1, "e": 1, "F": 1, "P": 1, "N": 1, "M": 1, "I": 1, "D": 1, "L": 1,
    "n": 1, "p": 1, "g": 1, "u": 1, "x": 1, "a": 1,
}  # fmt: skip


class Keys:
    """The keys of one store; `prefix` and `shards` never change once it holds something."""

    def __init__(self, prefix: str = "hss", shards: int = 16) -> None:
        self.prefix = prefix
        self.shards = shards
        width = 1 if shards <= 16 else 2
        self.heads = [f"{prefix}{{{shard:0{width}x}}}".encode() for shard in range(shards)]

    def key(self, shard: int, letter: str, rest: bytes = b"") -> bytes:
        """Return the key of one value."""
        return b"%b%b%d%b" % (self.heads[shard], letter.encode(), FORMATS[letter], rest)

    def named(self, letter: str, identity: int) -> bytes:
        """Return the key of something named by a cluster id, on the shard its name says."""
        return self.key(identity & 0xFF, letter, identity.to_bytes(8, "big"))

    def domain(self, domain: int) -> bytes:
        """Return the key of a domain's record; `domain` is the 8-byte hash of its name."""
        return self.key(domain % self.shards, "d", domain.to_bytes(8, "big"))

    def of_source(self, shard: int, letter: str, source: int) -> bytes:
        """Return the key of a source's fence, outbox or pins on a shard."""
        return self.key(shard, letter, source.to_bytes(2, "big"))

    def pattern(self, letter: str) -> bytes:
        """Return the pattern of the keys of everything of a letter that is named by a cluster id."""
        shard = "?" * (len(self.heads[0]) - len(self.prefix) - 2)
        return f"{self.prefix}{{{shard}}}{letter}{FORMATS[letter]}{'?' * 8}".encode()

    def home(self, source: int) -> int:
        """Return the shard that holds the pins of a source."""
        return source % self.shards
