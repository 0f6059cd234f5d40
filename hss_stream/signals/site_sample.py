"""A provider's sites in bounded memory: a sample that is fair, recent and the same in every order.

A provider may host a million sites, and its clusters have to follow the mix it hosts today. So a bounded
number of sites is kept, each with its tag structure, chosen by a rank that depends on the domain and on the
time of its last page alone (forward decay, Cormode et al. 2009):

    rank = ln(-ln u) - time / life,    u in (0, 1) from a hash of the domain

The sites of least rank are the sample: every site has a chance proportional to exp(time / life), so old sites
fade, and whatever the order of arrival, the same sites with the same times give the same sample. A domain
occurs once, however often it is fetched and however many sub-domains it has. Up to `capacity` sites the
sample is everything, and a verdict on it is the batch verdict.
"""

import math
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import xxhash

from hss_stream.signals.tag_structure import TagStructure

# Sites kept a provider. Shares over 256 sites have a standard error of at most 0.031.
CAPACITY = 256
# Days after which a site weighs 1/e of a fresh one.
LIFE_DAYS = 90.0


FORMAT = 1
_HEAD = struct.Struct(">HH")  # capacity, sites
_SITE = struct.Struct(">dHI11I")  # rank, bytes of the domain, bytes of the tags, tags by length of name


@dataclass(frozen=True, slots=True)
class SampledSite:
    """A site of the sample."""

    rank: float
    structure: TagStructure


@dataclass(frozen=True, slots=True)
class SiteSample:
    """The sampled sites of a provider by domain; a value, so changes give a new one."""

    sites: Mapping[str, SampledSite] = field(default_factory=dict)
    capacity: int = CAPACITY

    def with_site(self, domain: str, day: float, structure: TagStructure) -> "SiteSample":
        """Return the sample after a home page; one of a known domain replaces its former self."""
        rank = site_rank(domain, day)
        known = self.sites.get(domain)
        if known is None and len(self.sites) >= self.capacity:
            worst = max(self.sites, key=lambda name: (self.sites[name].rank, name))
            if (rank, domain) > (self.sites[worst].rank, worst):
                return self
            sites = {name: site for name, site in self.sites.items() if name != worst}
        else:
            sites = dict(self.sites)
        sites[domain] = SampledSite(rank if known is None else min(rank, known.rank), structure)
        return SiteSample(sites, self.capacity)

    def without_site(self, domain: str) -> "SiteSample":
        """Return the sample after a domain left the provider."""
        if domain not in self.sites:
            return self
        return SiteSample({name: site for name, site in self.sites.items() if name != domain}, self.capacity)

    def to_bytes(self) -> bytes:
        """Return the sample as it is stored: format number, then the packed sites by rank."""
        parts = [_HEAD.pack(self.capacity, len(self.sites))]
        for domain, structure in self.ordered():
            name, tags = domain.encode(), structure.tags.encode("utf-16-le")
            sizes = _SITE.pack(self.sites[domain].rank, len(name), len(tags), *structure.lengths)
            parts += [sizes, name, tags]
        return bytes([FORMAT]) + zlib.compress(b"".join(parts), 6)

    @classmethod
    def from_bytes(cls, stored: bytes) -> "SiteSample":
        """Return a stored sample; ValueError when the bytes are of another format or broken."""
        if not stored or stored[0] != FORMAT:
            raise ValueError(f"reading a sample of sites: format {stored[:1].hex()}, expected {FORMAT}")
        try:
            packed = zlib.decompress(stored[1:])
            capacity, count = _HEAD.unpack_from(packed)
            place, sites = _HEAD.size, {}
            for _ in range(count):
                rank, name_size, tags_size, *lengths = _SITE.unpack_from(packed, place)
                place += _SITE.size
                name, tags = packed[place : place + name_size], packed[place + name_size :][:tags_size]
                place += name_size + tags_size
                sites[name.decode()] = SampledSite(
                    rank, TagStructure(tags.decode("utf-16-le"), tuple(lengths))
                )
        except (zlib.error, struct.error, UnicodeDecodeError) as error:
            raise ValueError(f"reading a sample of sites: {error}") from error
        return cls(sites, capacity)

    def ordered(self) -> Iterator[tuple[str, TagStructure]]:
        """Yield the sites by rank, so that clustering them does not depend on the order of arrival."""
        for domain in sorted(self.sites, key=lambda name: (self.sites[name].rank, name)):
            yield domain, self.sites[domain].structure


def site_rank(domain: str, day: float) -> float:
    """Return the rank of a site whose last page is of that day (days since any fixed moment)."""
    u = (xxhash.xxh3_64_intdigest(domain.encode("utf-8", "replace")) + 0.5) / 2**64
    return math.log(-math.log(min(u, 1 - 2**-53))) - day / LIFE_DAYS
