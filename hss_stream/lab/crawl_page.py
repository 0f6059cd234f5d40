"""One page of the generated crawl, with the truth about it, and the names its world is made of."""

import base64
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from hss_stream.lab.crawl_lexicon import NAME_ENDS, NAME_STARTS, SUFFIXES
from hss_stream.lab.crawl_prose import Half

Truth = Literal["spam", "clean"]
TruthClass = Literal["template", "link_farm", "mirror", "copy_paste", "unsettled"]

FIRST_FETCH = datetime(2024, 1, 1, tzinfo=UTC)
SECONDS_A_PAGE = 2
HONEST_PROVIDERS = 40
MASK = 2**64 - 1


@dataclass(frozen=True, slots=True)
class CrawlPage:
    """A fetched page and what is true about it; `truth_class` is None where no class would be right."""

    url: str
    body: bytes
    kind: str
    truth: Truth
    truth_class: TruthClass | None
    domain: str
    group: str
    nameservers: tuple[str, ...] = ()
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    fetched_at: datetime = FIRST_FETCH

    def to_json(self) -> dict[str, Any]:
        """Return the page as an object of a JSONL source, with its truth beside it."""
        try:
            body = {"html": self.body.decode()}
        except UnicodeDecodeError:
            body = {"html_base64": base64.b64encode(self.body).decode()}
        return {
            "url": self.url, **body, "fetched_at": self.fetched_at.isoformat().replace("+00:00", "Z"),
            "nameservers": list(self.nameservers), "content_type": self.content_type, "status": self.status,
            "truth": self.truth, "truth_class": self.truth_class, "kind": self.kind, "group": self.group,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plot:
    """Where a group of pages lives in the crawl: everything its pages may depend on."""

    seed: int
    half: Half
    number: int  # of the group in its crawl; no two groups share one
    size: int  # pages of the group
    honest: tuple[tuple[int, int], ...] = ()  # (group number, domains) that anybody may link to
    corpus: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """Return the name all chance of the group is drawn from."""
        return f"{self.seed}/{self.half}/{self.number}"

    def chance(self, *parts: object) -> random.Random:
        """Return a source of chance of its own for a part of the group."""
        return random.Random(f"{self.name}/{'/'.join(map(str, parts))}")

    def domain(self, index: int) -> str:
        """Return the name of the group's domain of that index."""
        return domain_name(self.seed, self.number, index)

    def honest_domain(self, chance: random.Random) -> str:
        """Return a domain somebody honest could link to, most of them in the crawl."""
        if self.honest and chance.random() < 0.8:
            number, domains = self.honest[int(chance.random() * len(self.honest))]
            return domain_name(self.seed, number, int(chance.random() * domains))
        return domain_name(self.seed, 99_999, int(chance.random() * 50_000))

    def hoster(self, site: int) -> tuple[str, ...]:
        """Return the name servers of an honest site: one of a few dozen hosters."""
        return provider_servers(self.seed, mix(self.number * 7919 + site) % HONEST_PROVIDERS)


def mix(value: int) -> int:
    """Return 64 well-mixed bits (the finaliser of splitmix64)."""
    value = (value + 0x9E3779B97F4A7C15) & MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def domain_name(seed: int, group: int, index: int) -> str:
    """Return a domain name that no other group or index of the crawl has."""
    place = group * 1_000_000 + index
    bits = mix(place ^ (seed << 20))
    start = NAME_STARTS[bits % len(NAME_STARTS)]
    end = NAME_ENDS[(bits >> 16) % len(NAME_ENDS)]
    return f"{start}{end}{place:x}.{SUFFIXES[(bits >> 32) % len(SUFFIXES)]}"


def provider_servers(seed: int, provider: int) -> tuple[str, ...]:
    """Return the two name servers of a provider."""
    name = domain_name(seed, 99_998, provider)
    return (f"ns1.{name}", f"ns2.{name}")


def fetch_time(position: int) -> datetime:
    """Return when the page of that position was fetched."""
    return FIRST_FETCH + timedelta(seconds=SECONDS_A_PAGE * position)
