"""The packed values of the store: cluster, representative, domain.

Little-endian, each beginning with its format number; names are 8 bytes, big-endian. Scripts read and
write the same layouts (`scripts/records.lua`), and a test compares what both make of the same bytes.
"""

import struct
from dataclasses import dataclass, field
from typing import NamedTuple

from hss_stream.errors import StoreError
from hss_stream.verdicts.cluster_class import CLUSTER_SUMS

# format class label flags | revision pages | similarity | born last domains drains | sums | into | counts
CLUSTER = struct.Struct("<BBBBIIdIIII8I8sBBB")
CLUSTER_FORMAT = 1
MAX_SAMPLES = 8
MAX_INLINE_DOMAINS = 32
IN_HYPERLOGLOG = 255
HIT = struct.Struct("<8sH")
MAX_HITS = 0xFFFF

# format | owner | sketch | text parts; the URL follows
REPRESENTATIVE = struct.Struct("<B8s256s16s")
REPRESENTATIVE_FORMAT = 1

# format verdict flags reserved | latest style cluster | worst page cluster | first last | pages | sums
DOMAIN = struct.Struct("<BBBB8s8sIII4I")
DOMAIN_FORMAT = 1

# A stored URL is evidence for people; longer ones are cut and end in a hash (`stored_url`).
MAX_URL_BYTES = 255


def name(identity: int) -> bytes:
    """Return the 8 bytes of an id."""
    return identity.to_bytes(8, "big")


def _checked(packed: bytes, expected: int, kind: str) -> bytes:
    if packed[0] != expected:
        raise StoreError(
            f"reading a {kind} record: it has format {packed[0]}, this program writes {expected}; "
            "use the program that wrote it, or another HSS_STORE__PREFIX"
        )
    return packed


@dataclass(slots=True)
class ClusterRecord:
    """Everything a shard knows of a cluster, but the registers of a large number of domains."""

    kind: int = 0
    label: int = 0
    flags: int = 0
    revision: int = 0
    pages: int = 0
    similarity_sum: int = 0
    born: int = 0
    last: int = 0
    domains: int = 0
    drains: int = 0
    sums: list[int] = field(default_factory=lambda: [0] * CLUSTER_SUMS)
    into: int = 0
    samples: list[bytes] = field(default_factory=list)
    inline: list[int] | None = field(default_factory=list)
    further: dict[int, int] = field(default_factory=dict)

    def pack(self) -> bytes:
        """Return the stored bytes."""
        inline = self.inline
        head = CLUSTER.pack(
            CLUSTER_FORMAT, self.kind, self.label, self.flags, self.revision, self.pages,
            float(self.similarity_sum), self.born, self.last, self.domains, self.drains, *self.sums,
            name(self.into), len(self.further), IN_HYPERLOGLOG if inline is None else len(inline),
            len(self.samples),
        )  # fmt: skip
        return b"".join(
            (
                head,
                *(HIT.pack(name(identity), hits) for identity, hits in self.further.items()),
                *(domain.to_bytes(4, "little") for domain in inline or ()),
                *(bytes((len(sample),)) + sample for sample in self.samples),
            )
        )

    @classmethod
    def unpack(cls, packed: bytes) -> "ClusterRecord":
        """Return the record that bytes of the store hold."""
        values = CLUSTER.unpack_from(_checked(packed, CLUSTER_FORMAT, "cluster"))
        further_count, inline_count, sample_count = values[-3:]
        place = CLUSTER.size
        further = {}
        for identity, hits in HIT.iter_unpack(packed[place : place + HIT.size * further_count]):
            further[int.from_bytes(identity, "big")] = hits
        place += HIT.size * further_count
        inline: list[int] | None = None
        if inline_count != IN_HYPERLOGLOG:
            inline = list(struct.unpack_from(f"<{inline_count}I", packed, place))
            place += 4 * inline_count
        samples = []
        for _ in range(sample_count):
            end = place + 1 + packed[place]
            samples.append(packed[place + 1 : end])
            place = end
        record = cls(values[1], values[2], values[3], values[4], values[5], int(values[6]))
        record.born, record.last, record.domains, record.drains = values[7:11]
        record.sums = list(values[11:19])
        record.into = int.from_bytes(values[19], "big")
        record.samples, record.inline, record.further = samples, inline, further
        return record


@dataclass(frozen=True, slots=True)
class RepresentativeRecord:
    """A page that stands for its cluster: immutable, so workers may keep it."""

    owner: int
    sketch: bytes
    text: bytes
    url: bytes

    def pack(self) -> bytes:
        """Return the stored bytes."""
        return REPRESENTATIVE.pack(REPRESENTATIVE_FORMAT, name(self.owner), self.sketch, self.text) + self.url

    @classmethod
    def unpack(cls, packed: bytes) -> "RepresentativeRecord":
        """Return the record that bytes of the store hold."""
        _checked(packed, REPRESENTATIVE_FORMAT, "representative")
        _, owner, sketch, text = REPRESENTATIVE.unpack_from(packed)
        return cls(int.from_bytes(owner, "big"), sketch, text, packed[REPRESENTATIVE.size :])


@dataclass(slots=True)
class DomainRecord:
    """What several steps need of a domain; `worst`, `verdict`, `flags` and `sums` belong to later steps."""

    verdict: int = 0
    flags: int = 0
    reserved: int = 0
    latest: int = 0
    worst: int = 0
    first: int = 0
    last: int = 0
    pages: int = 0
    sums: tuple[int, ...] = (0, 0, 0, 0)

    def pack(self) -> bytes:
        """Return the stored bytes."""
        return DOMAIN.pack(
            DOMAIN_FORMAT, self.verdict, self.flags, self.reserved, name(self.latest), name(self.worst),
            self.first, self.last, self.pages, *self.sums,
        )  # fmt: skip

    @classmethod
    def unpack(cls, packed: bytes) -> "DomainRecord":
        """Return the record that bytes of the store hold."""
        values = DOMAIN.unpack_from(_checked(packed, DOMAIN_FORMAT, "domain"))
        latest, worst = (int.from_bytes(value, "big") for value in values[4:6])
        verdict, flags, reserved = values[1:4]
        first, last, pages = values[6:9]
        return cls(verdict, flags, reserved, latest, worst, first, last, pages, values[9:13])


class HostHead(NamedTuple):
    """What decisions need of a domain's record: its latest cluster, its last use, its sums of fake text."""

    latest: int
    last: int
    fake: tuple[int, int, int]

    @classmethod
    def unpack(cls, packed: bytes) -> "HostHead":
        """Return what the bytes of a domain's record say."""
        values = DOMAIN.unpack_from(_checked(packed, DOMAIN_FORMAT, "domain"))
        return cls(int.from_bytes(values[4], "big"), values[7], values[9:12])
