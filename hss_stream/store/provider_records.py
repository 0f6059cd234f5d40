"""The packed record of a provider: what pages ask for comes first.

Little-endian. Scripts read and write the same layout (`PROVIDER` in `scripts/common.lua`).

    format state label reserved | version revision last | lengths of name, facts | name | facts | last event
"""

import struct
from dataclasses import dataclass

from hss_stream.errors import StoreError

PROVIDER = struct.Struct("<BBBBIIIBI")
PROVIDER_FORMAT = 1
STATES = ("too_few", "watch", "spam", "clean")
MAX_NAME_BYTES = 253


@dataclass(frozen=True, slots=True)
class ProviderRecord:
    """What the store holds of a provider; `facts` are the step's, `event` is the last one, as JSON.

    `version` counts every change of the record, `revision` those that users see.
    """

    name: str
    state: int = 0
    label: int = 0
    version: int = 0
    revision: int = 0
    last: int = 0
    facts: bytes = b""
    event: bytes = b""

    @property
    def state_name(self) -> str:
        """Return the state as users see it."""
        return STATES[self.state]

    def pack(self) -> bytes:
        """Return the stored bytes."""
        name = self.name.encode()
        head = PROVIDER.pack(
            PROVIDER_FORMAT, self.state, self.label, 0, self.version, self.revision, self.last, len(name),
            len(self.facts),
        )  # fmt: skip
        return head + name + self.facts + self.event

    @classmethod
    def unpack(cls, packed: bytes) -> "ProviderRecord":
        """Return the record that bytes of the store hold."""
        if packed[0] != PROVIDER_FORMAT:
            raise StoreError(
                f"reading a provider: its record has format {packed[0]}, this program writes "
                f"{PROVIDER_FORMAT}; use the program that wrote it, or another HSS_STORE__PREFIX"
            )
        _, state, label, _, version, revision, last, name_size, facts_size = PROVIDER.unpack_from(packed)
        names, facts = PROVIDER.size, PROVIDER.size + name_size
        return cls(
            packed[names:facts].decode(), state, label, version, revision, last,
            packed[facts : facts + facts_size], packed[facts + facts_size :],
        )  # fmt: skip
