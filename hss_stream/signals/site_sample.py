"""A provider's sites in bounded memory: a sample that is fair, recent and the same in every order.

A provider may host a million sites, and its clusters have to follow the mix it hosts today. So a bounded
number of sites is kept, each with its tag structure, chosen by a rank that depends on the domain and on the
time of its last page alone (forward decay, Cormode et al. 2009):

    rank = ln(-ln u) - time / life,    u in (0, 1) from a hash of the domain

The sites of least rank are the sample: every site has a chance proportional to exp(time / life), so old sites
fade, and whatever the order of arrival, the same sites with the same times give the same sample. A domain
occurs once, however often it is fetched and however many sub-domains it has. Up to `capacity` sites the
sample is everything, and a verdict on it is the batch verdict. The greatest rank of a full sample tells how
many sites there are (bottom-k estimate, relative error about 1 / sqrt(capacity)).
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
# Days after which a site weighs 1/e of a fresh one, and after which it is no evidence any more.
LIFE_DAYS = 90.0
LAST_DAYS = 180.0

FORMAT = 2
_HEAD = struct.Struct(">HH")  # capacity, sites
# rank, kind, flags, bytes of domain, of target and of tags, tags by length of name
_SITE = struct.Struct(">dBBHHI11I")

# What a home page is: a page to be compared, one that only leads elsewhere, or one that is kept apart.
PAGE, REDIRECT, EMPTY, DEFAULT = range(4)
KIND_NAMES = ("page", "redirect", "empty", "default")
# What other signals say of it.
NATURAL, FAKE, FARM = 1, 2, 4
NO_STRUCTURE = TagStructure("", (0,) * 11)


@dataclass(frozen=True, slots=True)
class Home:
    """A home page as evidence: its kind, structure, the domain it leads to, and flags of other signals."""

    structure: TagStructure = NO_STRUCTURE
    kind: int = PAGE
    target: str = ""
    flags: int = 0


@dataclass(frozen=True, slots=True)
class SampledSite:
    """A site of the sample."""

    rank: float
    home: Home


@dataclass(frozen=True, slots=True)
class SiteSample:
    """The sampled sites of a provider by domain; a value, so changes give a new one."""

    sites: Mapping[str, SampledSite] = field(default_factory=dict)
    capacity: int = CAPACITY
    # The greatest rank of a full sample and its domain: what a new site has to stay below.
    worst: tuple[float, str] | None = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Find the worst site of a full sample."""
        full = self.sites and len(self.sites) >= self.capacity
        worst = max((site.rank, name) for name, site in self.sites.items()) if full else None
        object.__setattr__(self, "worst", worst)

    def with_site(self, domain: str, day: float, home: Home) -> "SiteSample":
        """Return the sample after a home page; one of a known domain replaces its former, older self."""
        rank = site_rank(domain, day)
        known = self.sites.get(domain)
        if known is not None and (rank > known.rank or (rank == known.rank and home == known.home)):
            return self
        if known is None and self.worst is not None:
            if (rank, domain) > self.worst:
                return self
            sites = {name: site for name, site in self.sites.items() if name != self.worst[1]}
        else:
            sites = dict(self.sites)
        sites[domain] = SampledSite(rank, home)
        return SiteSample(sites, self.capacity)

    def without_site(self, domain: str) -> "SiteSample":
        """Return the sample after a domain left the provider."""
        if domain not in self.sites:
            return self
        return SiteSample({name: site for name, site in self.sites.items() if name != domain}, self.capacity)

    def without_old(self, day: float) -> "SiteSample":
        """Return the sample without sites whose last page is too old at that day."""
        fresh = {
            name: site
            for name, site in self.sites.items()
            if site_day(name, site.rank) >= day - LAST_DAYS
        }  # fmt: skip
        return self if len(fresh) == len(self.sites) else SiteSample(fresh, self.capacity)

    def estimate(self, day: float) -> int:
        """Return how many sites there are: exact where all fit, else estimated and weighed by their age."""
        if self.worst is None:
            return len(self.sites)
        logarithm = math.log(max(self.capacity - 1, 1)) - self.worst[0] - day / LIFE_DAYS
        return max(self.capacity, round(math.exp(min(logarithm, 40.0))))

    def to_bytes(self) -> bytes:
        """Return the sample as it is stored: format number, then the packed sites by rank."""
        parts = [_HEAD.pack(self.capacity, len(self.sites))]
        for domain, home in self.ordered():
            name, target = domain.encode(), home.target.encode()
            tags = home.structure.tags.encode("utf-16-le")
            sizes = _SITE.pack(
                self.sites[domain].rank, home.kind, home.flags, len(name), len(target), len(tags),
                *home.structure.lengths,
            )  # fmt: skip
            parts += [sizes, name, target, tags]
        return bytes([FORMAT]) + zlib.compress(b"".join(parts), 1)

    @classmethod
    def from_bytes(cls, stored: bytes) -> "SiteSample":
        """Return a stored sample; ValueError when the bytes are of another format or broken."""
        if not stored or stored[0] != FORMAT:
            raise ValueError(f"reading a sample of sites: format {stored[:1].hex()}, expected {FORMAT}")
        try:
            packed = memoryview(zlib.decompress(stored[1:]))
            capacity, count = _HEAD.unpack_from(packed)
            place, sites = _HEAD.size, {}
            for _ in range(count):
                rank, kind, flags, name_size, target_size, tags_size, *lengths = _SITE.unpack_from(
                    packed, place
                )
                place += _SITE.size
                ends = place + name_size, place + name_size + target_size
                name, target = str(packed[place : ends[0]], "utf-8"), str(packed[slice(*ends)], "utf-8")
                tags = str(packed[ends[1] : ends[1] + tags_size], "utf-16-le")
                place = ends[1] + tags_size
                sites[name] = SampledSite(rank, Home(TagStructure(tags, tuple(lengths)), kind, target, flags))
        except (zlib.error, struct.error, UnicodeDecodeError) as error:
            raise ValueError(f"reading a sample of sites: {error}") from error
        return cls(sites, capacity)

    def ordered(self) -> Iterator[tuple[str, Home]]:
        """Yield the sites by rank, so that clustering them does not depend on the order of arrival."""
        for domain in sorted(self.sites, key=lambda name: (self.sites[name].rank, name)):
            yield domain, self.sites[domain].home


def _drawn(domain: str) -> float:
    u = (xxhash.xxh3_64_intdigest(domain.encode("utf-8", "replace")) + 0.5) / 2**64
    return math.log(-math.log(min(u, 1 - 2**-53)))


def site_rank(domain: str, day: float) -> float:
    """Return the rank of a site whose last page is of that day (days since any fixed moment)."""
    return _drawn(domain) - day / LIFE_DAYS


def site_day(domain: str, rank: float) -> float:
    """Return the day of a site's last page."""
    return (_drawn(domain) - rank) * LIFE_DAYS
