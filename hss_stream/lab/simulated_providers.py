"""Name-server providers made of real pages: the pages are real, who hosts them is simulated.

No public corpus has parked home pages with their name servers. So farms are drawn from one or two packages
of generated documentation, or from doorway pages; hosters from web sites that have nothing in common;
WordPress hosts from WordPress sites; mixtures are 60 % different sites and 40 % of one farm.
Pages are drawn without replacement within a provider.

Thresholds are chosen on one half of the families (packages, web hosts) and figures reported on the other:
`half="tune"` and `half="report"` share no package and no host, and doorway pages are only in the latter.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import orjson
import xxhash

from hss_stream.lab.structure_evaluation import read_structures
from hss_stream.signals.tag_structure import TagStructure
from hss_stream.sources.records import open_source

Case = Literal["farm", "hoster", "wordpress", "mixture"]
Half = Literal["tune", "report", "all"]
SMALLEST, LARGEST = 30, 800
MIXED_SPAM = 0.4
WORDPRESS_HOSTS = 30


@dataclass(frozen=True, eq=False)
class SimulatedProvider:
    """A provider with its sites; `spam` is the truth about each site, `is_spam` about the provider."""

    name: str
    case: Case
    sites: tuple[TagStructure, ...]
    spam: tuple[bool, ...]

    @property
    def is_spam(self) -> bool:
        """Return the truth about the provider: only farms are spam."""
        return self.case == "farm"


@dataclass(frozen=True, eq=False)
class Pools:
    """The pages providers are drawn from: by template, of different web sites, of WordPress sites."""

    templates: list[list[TagStructure]]
    web: list[TagStructure]
    wordpress: list[TagStructure]


def is_in_half(family: str, half: Half) -> bool:
    """Tell whether a family of pages belongs to a half of them."""
    return half == "all" or (half == "tune") == bool(xxhash.xxh3_64_intdigest(family.encode()) & 1)


def read_pools(data: Path, half: Half = "all") -> Pools:
    """Return the pools of pages under a folder of real data."""
    docs = _read(data / "pages-debian-docs")
    labels = [orjson.loads(line) for line in (data / "pages-web" / "labels.jsonl").read_bytes().splitlines()]
    pages = _read(data / "pages-web")
    packages: dict[str, list[TagStructure]] = defaultdict(list)
    for url, structure in docs.items():
        packages[url.removeprefix("file:///").split("/", 1)[0]].append(structure)
    doorway = [page for url, page in _read(data / "pages-doorway").items() if not url.endswith("/index.html")]
    web: dict[str, TagStructure] = {}
    wordpress: list[TagStructure] = []
    for label in labels:
        page = pages.get(f"file:///{label['file']}")
        host = label["host"] or label["file"]
        if page is None or not is_in_half(host, half):
            continue
        if "wordpress" in label["meta_generator"].lower() or label["wp_theme"]:
            wordpress.append(page)
        else:
            web.setdefault(host, page)
    templates = [
        group for name, group in packages.items() if len(group) >= SMALLEST and is_in_half(name, half)
    ]
    if half != "tune":
        templates.append(doorway)
    return Pools(templates, list(web.values()), wordpress)


def _read(folder: Path) -> dict[str, TagStructure]:
    return dict(zip(*read_structures(open_source(folder)), strict=True))


def simulate_providers(
    pools: Pools, *, seed: int, farms: int = 120, hosters: int = 120
) -> Iterator[SimulatedProvider]:
    """Yield farms, hosters (a quarter of them mixtures) and WordPress hosts, in a fixed order."""
    chance = np.random.default_rng(seed)
    for number in range(farms):
        yield _farm(f"farm-{number}", pools, chance)
    for number in range(hosters):
        if number % 4 == 3:
            yield _mixture(f"mixture-{number}", pools, chance)
        else:
            sites = _draw(pools.web + pools.wordpress, _size(chance), chance)
            yield SimulatedProvider(f"hoster-{number}", "hoster", sites, (False,) * len(sites))
    for number in range(WORDPRESS_HOSTS):
        sites = _draw(pools.wordpress, _size(chance), chance)
        yield SimulatedProvider(f"wordpress-{number}", "wordpress", sites, (False,) * len(sites))


def _size(chance: np.random.Generator) -> int:
    """Return a number of sites, small ones as likely as large ones by factor."""
    return int(np.exp(chance.uniform(np.log(SMALLEST), np.log(LARGEST + 1))))


def _draw(pool: list[TagStructure], count: int, chance: np.random.Generator) -> tuple[TagStructure, ...]:
    """Return `count` different pages of a pool, or all of them."""
    return tuple(pool[place] for place in chance.permutation(len(pool))[:count])


def _farm(name: str, pools: Pools, chance: np.random.Generator) -> SimulatedProvider:
    """Return a provider whose sites come from one or two templates."""
    chosen = chance.permutation(len(pools.templates))[: chance.integers(1, 3)]
    pool = [page for template in chosen for page in pools.templates[template]]
    sites = _draw(pool, _size(chance), chance)
    return SimulatedProvider(name, "farm", sites, (True,) * len(sites))


def _mixture(name: str, pools: Pools, chance: np.random.Generator) -> SimulatedProvider:
    """Return a shared hoster on which four sites of ten belong to one farm."""
    size = max(_size(chance), 60)
    farm = pools.templates[chance.integers(len(pools.templates))]
    spam = _draw(farm, int(size * MIXED_SPAM), chance)
    clean = _draw(pools.web, round(len(spam) * (1 - MIXED_SPAM) / MIXED_SPAM), chance)
    order = chance.permutation(len(spam) + len(clean)).tolist()
    sites = spam + clean
    return SimulatedProvider(
        name, "mixture", tuple(sites[place] for place in order), tuple(place < len(spam) for place in order)
    )
