"""Groups of honest pages: themes, manuals, sites made by hand, mirrors, copied fragments.

A group is a kind of page made one way; `page(index)` writes any of its pages on its own, so a crawl
needs no memory of the pages before it.
"""

import random
from collections.abc import Callable
from functools import lru_cache

from hss_stream.lab.crawl_content import Content, Link
from hss_stream.lab.crawl_design import make_design
from hss_stream.lab.crawl_lexicon import COMPUTERS, MONTHS, PEOPLE, SURNAMES
from hss_stream.lab.crawl_page import CrawlPage, Plot
from hss_stream.lab.crawl_prose import prose_of

Group = Callable[[Plot, int], CrawlPage]


def site_content(
    plot: Plot, site: int, page: int, chance: random.Random, *, links: tuple[Link, ...]
) -> Content:
    """Return a page of an honest site: its own topic, menu and author, and a text of its own."""
    menu, author, topic = _site_frame(plot, site)
    prose = prose_of(plot.half, topic)
    paragraphs = tuple(prose.paragraph(chance, chance.randint(3, 6)) for _ in range(chance.randint(2, 7)))
    return Content(
        site=plot.domain(site),
        title=prose.title(chance),
        paragraphs=paragraphs,
        menu=menu,
        links=links,
        author=author,
        date=f"{1 + page % 28} {chance.choice(MONTHS)} {chance.randint(2004, 2024)}",
        code=tuple(
            f"{chance.choice(COMPUTERS)}_{chance.choice(COMPUTERS)}".replace(" ", "_") for _ in paragraphs
        ),
    )


@lru_cache(maxsize=4096)
def _site_frame(plot: Plot, site: int) -> tuple[tuple[Link, ...], str, int]:
    """Return what all pages of a site share: menu, author, topic."""
    chance = plot.chance("site", site)
    prose = prose_of(plot.half, topic := chance.randrange(6))
    menu = tuple(
        (f"/{word.lower()}/", word.capitalize())
        for word in prose.sentence(chance).rstrip(".").split()[: chance.randint(3, 7)]
    )
    return menu, f"{chance.choice(PEOPLE)} {chance.choice(SURNAMES)}", topic


def honest_links(plot: Plot, chance: random.Random, most: int) -> tuple[Link, ...]:
    """Return a few links to other people's sites."""
    prose = prose_of(plot.half, chance.randrange(6))
    return tuple(
        (f"http://{plot.honest_domain(chance)}/", prose.title(chance)) for _ in range(chance.randint(0, most))
    )


def page_path(page: int, chance: random.Random) -> str:
    """Return a path: the first page of a site is its home page."""
    if page == 0:
        return "/"
    return chance.choice(
        (f"/{page}.html", f"/archive/{page}/", f"/index.php?p={page}", f"/notes/page-{page}")
    )


def _split(plot: Plot, index: int, pages_a_site: int) -> tuple[int, int, random.Random]:
    """Return site, page of the site and chance of a page of the group."""
    sites = max(1, plot.size // pages_a_site)
    return index % sites, index // sites, plot.chance("page", index)


def theme_page(plot: Plot, index: int) -> CrawlPage:
    """Return a page of a content system's theme used by a few large sites."""
    site, page, chance = _split(plot, index, 25)
    content = site_content(plot, site, page, chance, links=honest_links(plot, chance, 3))
    return _honest(plot, "theme", "template", content, page, chance, site)


def shared_theme_page(plot: Plot, index: int) -> CrawlPage:
    """Return a page of one theme on many honest domains, some of which link to each other."""
    site, page, chance = _split(plot, index, 2)
    sites = max(1, plot.size // 2)
    friends = tuple(
        (f"http://{plot.domain(chance.randrange(sites))}/", "a friend") for _ in range(chance.randint(0, 2))
    )
    links = honest_links(plot, chance, 4) + (friends if chance.random() < 0.3 else ())
    content = site_content(plot, site, page, chance, links=links)
    return _honest(plot, "shared_theme", "template", content, page, chance, site)


def manual_page(plot: Plot, index: int) -> CrawlPage:
    """Return a page of a documentation generator used by many projects."""
    site, page, chance = _split(plot, index, 6)
    content = site_content(plot, site, page, chance, links=())
    return _honest(plot, "manual", "template", content, page, chance, site, manual=True)


def natural_page(plot: Plot, index: int) -> CrawlPage:
    """Return a page of a site with a template of its own."""
    site, page, chance = _split(plot, index, 3)
    content = site_content(plot, site, page, chance, links=honest_links(plot, chance, 6))
    return _honest(
        plot, "natural", "unsettled", content, page, chance, site, design=f"{plot.name}/own/{site}"
    )


def mirror_page(plot: Plot, index: int) -> CrawlPage:
    """Return a page that is the same on a few domains but for a line about the mirror."""
    mirrors = min(60, max(4, plot.size // 3))
    site, page = index % mirrors, index // mirrors
    chance = plot.chance("original", page)
    content = site_content(plot, 0, page, chance, links=honest_links(plot, chance, 4))
    original = _honest(plot, "mirror", "mirror", content, page, chance, site)
    domain = plot.domain(site)
    line = f"<p>Mirror at {domain}</p>".encode()
    path = "/" if page == 0 else f"/doc/{page}.html"
    return _moved(original, plot, site, f"http://{domain}{path}", original.body + line)


def copy_paste_page(plot: Plot, index: int) -> CrawlPage:
    """Return a short page of its own with one fragment, text and markup, that many have copied."""
    chance = plot.chance("page", index)
    own = make_design(plot.half, f"{plot.name}/paste/{index}")
    prose = prose_of(plot.half, chance.randrange(6))
    content = Content(
        plot.domain(index), prose.title(chance), (prose.paragraph(chance, 2),), author="", date=""
    )
    start = own.head(own.pen, content, chance) + f"<p>{content.paragraphs[0]}</p>"
    body = start.encode() + pasted_fragment(plot) + own.foot(own.pen, content, chance).encode()
    url = f"http://{plot.domain(index)}{page_path(index % 3, chance)}"
    return CrawlPage(
        url, body, "copy_paste", "clean", "copy_paste", plot.domain(index), plot.name, plot.hoster(index)
    )


@lru_cache(maxsize=64)
def pasted_fragment(plot: Plot) -> bytes:
    """Return the fragment everybody of a group copied: a notice of 20 paragraphs with its own markup."""
    chance = plot.chance("fragment")
    design = make_design(plot.half, f"{plot.name}/fragment")
    prose = prose_of(plot.half, plot.number)
    paragraphs = tuple(prose.paragraph(chance, 2) for _ in range(9))
    content = Content(
        "notice", prose.title(chance), paragraphs, menu=(("#a", "agree"), ("#b", "leave")), author="Notice"
    )
    return (design.menu(design.pen, content, chance) + design.body(design.pen, content, chance)).encode()


def _honest(
    plot: Plot, kind: str, truth_class: str, content: Content, page: int, chance: random.Random, site: int,
    *, manual: bool = False, design: str | None = None,
) -> CrawlPage:  # fmt: skip
    """Return an honest page written with the group's template or the one named."""
    template = make_design(plot.half, design or f"{plot.name}/theme", manual=manual)
    domain = plot.domain(site)
    url = f"http://{domain}{page_path(page, chance)}"
    body = template.render(content, chance)
    return CrawlPage(url, body, kind, "clean", truth_class, domain, plot.name, plot.hoster(site))  # type: ignore[arg-type]  # one of the five, by the callers above


def _moved(page: CrawlPage, plot: Plot, site: int, url: str, body: bytes) -> CrawlPage:
    """Return the page as another domain serves it."""
    return CrawlPage(
        url, body, page.kind, page.truth, page.truth_class, plot.domain(site), plot.name, plot.hoster(site)
    )
