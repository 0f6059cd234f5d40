"""The fingerprint of a page or message: enough to find its cluster again, in 354 bytes.

    0    1 byte     format, 1
    1    1 byte     kind: 1 page, 2 mail, 3 text
    2    8 bytes    lexicon id, big-endian
    10   88 bytes   eleven I-Match signatures, big-endian, 0 is null
    98   256 bytes  style sketch, zeros where there is none

As text it is lower-case hex. It is sent with labels, so that nothing need be stored a page or message.
"""

import struct
from dataclasses import dataclass
from typing import Literal, get_args

from hss_stream.signals.imatch import COORDINATES, Signatures

FINGERPRINT_FORMAT = 1
SKETCH_BYTES = 256
NO_SKETCH = bytes(SKETCH_BYTES)

FingerprintKind = Literal["page", "mail", "text"]
_KINDS: tuple[FingerprintKind, ...] = get_args(FingerprintKind)
_LAYOUT = struct.Struct(f">BBQ{COORDINATES}Q{SKETCH_BYTES}s")
FINGERPRINT_BYTES = _LAYOUT.size


@dataclass(frozen=True)
class Fingerprint:
    """What a page or message is recognised by; `sketch` is 256 bytes, zeros where there is none."""

    kind: FingerprintKind
    lexicon: int
    signatures: tuple[int, ...]
    sketch: bytes = NO_SKETCH

    def to_hex(self) -> str:
        """Return the fingerprint as text."""
        kind = _KINDS.index(self.kind) + 1
        return _LAYOUT.pack(FINGERPRINT_FORMAT, kind, self.lexicon, *self.signatures, self.sketch).hex()

    @classmethod
    def from_hex(cls, text: str) -> "Fingerprint":
        """Return the fingerprint that a text stands for; ValueError when it is none of this format."""
        raw = bytes.fromhex(text)
        if len(raw) != FINGERPRINT_BYTES:
            raise ValueError(f"a fingerprint has {FINGERPRINT_BYTES} bytes, not {len(raw)}")
        number, kind, lexicon, *signatures, sketch = _LAYOUT.unpack(raw)
        if number != FINGERPRINT_FORMAT:
            raise ValueError(f"fingerprint format {number} is not {FINGERPRINT_FORMAT}")
        if not 1 <= kind <= len(_KINDS):
            raise ValueError(f"a fingerprint of kind {kind} is unknown")
        return cls(_KINDS[kind - 1], lexicon, tuple(signatures), sketch)


def make_fingerprint(
    kind: FingerprintKind, signatures: Signatures, sketch: bytes | None = None
) -> Fingerprint:
    """Return the fingerprint of a body with these signatures and this sketch, if it has one."""
    return Fingerprint(kind, signatures.lexicon, signatures.values, sketch or NO_SKETCH)
