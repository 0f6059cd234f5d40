"""The generated crawl: a small web with its truth, for demos, tests and figures.

    for page in generate_crawl(seed=7, pages=5000, half="report"):
        page.url, page.body, page.fetched_at, page.nameservers, page.status
        page.truth          # spam | clean
        page.truth_class    # of its style cluster: template | link_farm | mirror | copy_paste | unsettled,
                            # or None where no class would be right (near-empty, default, broken, real …)
        page.kind           # farm_fake, doorway, shared_theme, listing … (KINDS)
        page.group          # pages of one group were made one way: the same farm, the same theme
        page.to_json()      # an object of a JSONL source

    for mail in generate_mail(seed=7, messages=1000):       # lab/crawl_mail.py
        mail.raw, mail.received_at, mail.truth, mail.campaign

Deterministic: the same arguments give the same bytes. Flat in memory: a page depends on its group and its
index alone, and a long crawl is a row of windows, each with groups of its own. `half="tune"` and
`half="report"` share no block of markup, no school of tags, no topic, no text maker and no fixed page:
choose thresholds on one, report figures on the other. `kinds` leaves only some kinds in. `corpus` gives
the text makers and the farms that copy other sentences than ours; `real` is a folder laid out as
EVALUATION_DATA whose pages then make up a third of the spam and half of the negatives.
"""

import dataclasses
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hss_stream.lab import crawl_farms, crawl_hard, crawl_honest
from hss_stream.lab.crawl_honest import Group
from hss_stream.lab.crawl_page import CrawlPage, Plot, fetch_time
from hss_stream.lab.crawl_prose import Half
from hss_stream.lab.crawl_real import real_page

# Pages planned at once; a longer crawl is a row of windows with farms and themes of their own.
WINDOW_PAGES = 20_000


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of group: its share of the pages, the most pages of one group, and who writes them."""

    share: float
    group_pages: int
    page: Group
    spam: bool = False
    hard: bool = False


KINDS: dict[str, Kind] = {
    "farm_fake": Kind(0.10, 900, crawl_farms.fake_farm_page, spam=True),
    "farm_copied": Kind(0.10, 900, crawl_farms.copied_farm_page, spam=True),
    "doorway": Kind(0.08, 800, crawl_farms.doorway_page, spam=True),
    "fake_site": Kind(0.04, 600, crawl_farms.fake_site_page, spam=True),
    "parked": Kind(0.04, 600, crawl_farms.parked_page, spam=True),
    "redirect": Kind(0.01, 200, crawl_farms.redirect_page, spam=True),
    "hoster": Kind(0.06, 600, crawl_farms.hoster_page, hard=True),
    "theme": Kind(0.10, 400, crawl_honest.theme_page),
    "manual": Kind(0.06, 600, crawl_honest.manual_page),
    "natural": Kind(0.10, 600, crawl_honest.natural_page),
    "shared_theme": Kind(0.10, 500, crawl_honest.shared_theme_page, hard=True),
    "mirror": Kind(0.03, 300, crawl_honest.mirror_page, hard=True),
    "copy_paste": Kind(0.04, 200, crawl_honest.copy_paste_page, hard=True),
    "near_empty": Kind(0.02, 300, crawl_hard.near_empty_page, hard=True),
    "default_page": Kind(0.03, 300, crawl_hard.default_page, hard=True),
    "listing": Kind(0.04, 600, crawl_hard.listing_page, hard=True),
    "code": Kind(0.03, 300, crawl_hard.code_page, hard=True),
    "licence": Kind(0.02, 200, crawl_hard.licence_page, hard=True),
    "broken": Kind(0.01, 200, crawl_hard.broken_page, hard=True),
}
REAL_SPAM = 1 / 3
REAL_CLEAN = 1 / 2


@dataclass(frozen=True, slots=True)
class PlannedGroup:
    """A group with its place in the crawl."""

    kind: str
    plot: Plot
    write: Group

    def page(self, index: int) -> CrawlPage:
        """Return the group's page of that index, without a time."""
        return self.write(self.plot, index)


def generate_crawl(
    *,
    seed: int,
    pages: int,
    half: Half = "report",
    kinds: tuple[str, ...] = tuple(KINDS),
    corpus: tuple[str, ...] | None = None,
    real: Path | None = None,
) -> Iterator[CrawlPage]:
    """Yield the pages of a crawl in order of their fetching."""
    done = 0
    first = 0
    while done < pages:
        size = min(WINDOW_PAGES, pages - done)
        groups = plan_groups(
            seed=seed, pages=size, half=half, kinds=kinds, first=first, corpus=corpus, real=real
        )
        first += len(groups)
        for page in _shuffled(groups, random.Random(f"order/{seed}/{half}/{done}")):
            yield dataclasses.replace(page, fetched_at=fetch_time(done))
            done += 1


def plan_groups(
    *,
    seed: int,
    pages: int,
    half: Half,
    kinds: tuple[str, ...] = tuple(KINDS),
    first: int = 0,
    corpus: tuple[str, ...] | None = None,
    real: Path | None = None,
) -> list[PlannedGroup]:
    """Return the groups of one window, whose sizes sum to `pages`; `first` is the number of the first."""
    shares = _shares(kinds, with_real=real is not None)
    sizes = _group_sizes(pages, shares)
    honest = tuple(
        (first + at, max(1, size // 3))
        for at, (kind, size) in enumerate(sizes)
        if kind in {"natural", "theme", "shared_theme"}
    )
    return [
        PlannedGroup(kind, Plot(seed, half, first + at, size, honest, corpus), _writer(kind, real))
        for at, (kind, size) in enumerate(sizes)
    ]


def _writer(kind: str, real: Path | None) -> Group:
    """Return who writes a kind."""
    if kind in KINDS:
        return KINDS[kind].page
    return partial(real_page, folder=real or Path(), kind=kind)


def _shares(kinds: tuple[str, ...], *, with_real: bool) -> dict[str, float]:
    """Return each kind's share of the pages; real pages take theirs from generated ones."""
    shares = {kind: KINDS[kind].share for kind in kinds}
    if not with_real:
        return shares
    spam = sum(share for kind, share in shares.items() if KINDS[kind].spam)
    clean = sum(shares.values()) - spam
    kept = {
        kind: share * (1 - (REAL_SPAM if KINDS[kind].spam else REAL_CLEAN)) for kind, share in shares.items()
    }
    kept["real_doorway"] = spam * REAL_SPAM
    kept["real_web"] = kept["real_manual"] = clean * REAL_CLEAN / 2
    return kept


def _group_sizes(pages: int, shares: dict[str, float]) -> list[tuple[str, int]]:
    """Return (kind, pages) of each group: none over its limit, two where one would do and it is not hard."""
    whole = sum(shares.values())
    sizes: list[tuple[str, int]] = []
    done = 0.0
    for kind, share in shares.items():
        count = round((done + share) / whole * pages) - round(done / whole * pages)
        done += share
        limit = KINDS[kind].group_pages if kind in KINDS else count
        groups = max(
            -(-count // max(1, limit)), 1 if kind not in KINDS or KINDS[kind].hard else min(2, count // 100)
        )
        sizes.extend((kind, count * (n + 1) // groups - count * n // groups) for n in range(groups) if count)
    return [(kind, size) for kind, size in sizes if size]


def _shuffled(groups: list[PlannedGroup], chance: random.Random) -> Iterator[CrawlPage]:
    """Yield all pages of all groups, mixed; inside a group in order."""
    order = [at for at, group in enumerate(groups) for _ in range(group.plot.size)]
    chance.shuffle(order)
    given = [0] * len(groups)
    for at in order:
        yield groups[at].page(given[at])
        given[at] += 1
