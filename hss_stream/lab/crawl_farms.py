"""Groups of spam: link farms, doorways, fake sites, parked and redirecting domains.

A farm's pages are written with one template whose attributes and order vary by page; they spread over
hundreds of domains and link densely to each other. Half of the farms carry copied natural text: only
style and links give them away.
"""

import random

from hss_stream.lab.crawl_content import Content, Link
from hss_stream.lab.crawl_design import make_design
from hss_stream.lab.crawl_fake import cut_paragraphs, own_corpus, text_makers
from hss_stream.lab.crawl_honest import natural_page, page_path
from hss_stream.lab.crawl_lexicon import GOODS, SALES
from hss_stream.lab.crawl_page import CrawlPage, Plot, provider_servers
from hss_stream.lab.crawl_prose import Half, fill_slot

PAGES_A_FARM_DOMAIN = 3
FARM_VARY = 0.12
MAKERS = ("markov", "patchwork", "stuffed")

DOORWAY_FRAMES: dict[Half, tuple[str, ...]] = {
    "tune": (
        "Looking for {0}? You have come to the right place for {0} in {1}.",
        "Our experts compare {0} from all providers, so that you always get the best {2}.",
        "With {0} you save time and money, and you can start today without any risk.",
        "Thousands of customers in {1} trust us when it comes to {0}.",
        "Read on to learn how {0} works, what it costs and why {2} matters.",
        "Do not wait any longer: ask for your free offer for {0} in {1} now.",
    ),
    "report": (
        "{0} made easy: everything about {0} on one page.",
        "What is {0}? In short, {0} helps you to reach your goals faster than {2}.",
        "Step one is to choose {0}, step two is to sign up, and step three is to enjoy it in {1}.",
        "Is {0} safe? Yes, {0} is used every day by people from {1} and many other towns.",
        "Frequently asked questions about {0}: how long does {0} take, and is {2} included?",
        "Start with {0} today and see the difference that {2} makes.",
    ),
}


def _goods(chance: random.Random) -> str:
    """Return what is sold, with a word of sales."""
    return f"{chance.choice(SALES)} {chance.choice(GOODS)}"


def _farm_links(plot: Plot, domains: int, chance: random.Random) -> tuple[Link, ...]:
    """Return 8 to 24 links to other domains of the farm, and now and then an honest one as cover."""
    inside = tuple(
        (f"http://{plot.domain(chance.randrange(domains))}/", _goods(chance))
        for _ in range(chance.randint(8, 24))
    )
    cover = ((f"http://{plot.honest_domain(chance)}/", "source"),) if chance.random() < 0.3 else ()
    return inside + cover


def fake_farm_page(plot: Plot, index: int) -> CrawlPage:
    """Return a page of a link farm filled by a text maker."""
    return _farm_page(plot, index, "farm_fake")


def copied_farm_page(plot: Plot, index: int) -> CrawlPage:
    """Return a page of a link farm filled with copied natural text."""
    return _farm_page(plot, index, "farm_copied")


def _farm_page(plot: Plot, index: int, kind: str) -> CrawlPage:
    """Return a page of a farm: template with variation, dense links, text by kind."""
    domains = max(1, plot.size // PAGES_A_FARM_DOMAIN)
    site, page = index % domains, index // domains
    chance = plot.chance("page", index)
    words = chance.randint(150, 500)
    if kind == "farm_fake":
        text = text_makers(plot.half, plot.corpus)[MAKERS[plot.number % 3]](chance, words)
    else:
        text = _copied_text(plot, chance, words)
    content = Content(
        site=plot.domain(site),
        title=_goods(chance),
        paragraphs=cut_paragraphs(text, chance),
        menu=tuple((f"/{_goods(chance).replace(' ', '-')}.html", _goods(chance)) for _ in range(5)),
        links=_farm_links(plot, domains, chance),
        author="admin",
        date=f"{1 + page} May 2024",
        code=("a", "b"),
    )
    design = make_design(plot.half, f"{plot.name}/farm", vary=FARM_VARY)
    return _spam(
        plot,
        site,
        kind,
        "link_farm",
        design.render(content, chance),
        page_path(page, chance),
        _farm_ns(plot, site),
    )


def _copied_text(plot: Plot, chance: random.Random, words: int) -> str:
    """Return whole sentences in their order from somewhere in the corpus."""
    sentences = plot.corpus or own_corpus(plot.half)
    at = chance.randrange(len(sentences))
    count = max(3, words // 15)
    return " ".join((sentences[at:] + sentences[:at])[:count])


def doorway_page(plot: Plot, index: int) -> CrawlPage:
    """Return a doorway: one template and one text with the search phrase put in, each on its own domain."""
    chance = plot.chance("page", index)
    phrase, town = _goods(chance), fill_slot("town", chance)
    frames = DOORWAY_FRAMES[plot.half]
    paragraphs = tuple(frame.format(phrase, town, chance.choice(GOODS)) for frame in frames)
    related = tuple((f"http://{plot.domain(chance.randrange(plot.size))}/", _goods(chance)) for _ in range(6))
    content = Content(
        plot.domain(index), f"{phrase} {town}", paragraphs * 2, menu=(("/", "home"), ("/faq", "faq"), ("/go", "start")),
        links=((f"http://{plot.domain(0)}/buy", "order now"), *related), author="team", date="2024", code=("x",),
    )  # fmt: skip
    design = make_design(plot.half, f"{plot.name}/doorway")
    path = f"/{phrase.replace(' ', '-')}.html"
    return _spam(
        plot, index, "doorway", "link_farm", design.render(content, chance), path, _farm_ns(plot, index)
    )


def fake_site_page(plot: Plot, index: int) -> CrawlPage:
    """Return a page of a site that looks like any other, with text nobody wrote."""
    sites = max(1, plot.size // 6)
    site, page = index % sites, index // sites
    chance = plot.chance("page", index)
    text = text_makers(plot.half, plot.corpus)[MAKERS[site % 3]](chance, chance.randint(250, 700))
    links = tuple((f"http://{plot.honest_domain(chance)}/", _goods(chance)) for _ in range(3))
    menu = tuple((f"/{n}", f"part {n}") for n in range(3 + site % 4))
    content = Content(
        plot.domain(site), _goods(chance), cut_paragraphs(text, chance), menu, links, "editor", "2024"
    )
    design = make_design(plot.half, f"{plot.name}/fake/{site}")
    body = design.render(content, chance)
    return _spam(plot, site, "fake_site", "unsettled", body, page_path(page, chance), plot.hoster(site))


def parked_page(plot: Plot, index: int) -> CrawlPage:
    """Return the home page of a parked domain: a list of related searches, on one of two providers."""
    chance = plot.chance("page", index)
    domain = plot.domain(index)
    searches = tuple(
        (f"/search?q={_goods(chance).replace(' ', '+')}", _goods(chance))
        for _ in range(chance.randint(8, 14))
    )
    content = Content(
        domain, domain, (f"{domain} is for sale. Make an offer today.", "Related searches"), menu=searches[:4],
        links=searches, author="sales", date="", code=("s",),
    )  # fmt: skip
    design = make_design(plot.half, f"{plot.seed}/{plot.half}/parking/{plot.number % 2}")
    servers = provider_servers(plot.seed, 500 + index % 2)
    return _spam(plot, index, "parked", "template", design.render(content, chance), "/", servers)


def redirect_page(plot: Plot, index: int) -> CrawlPage:
    """Return a home page that only leads to the parking page: by status, refresh or script."""
    target = f"http://{plot.domain(0)}/lander"
    way = index % 3
    body = (
        b"",
        f'<html><head><meta http-equiv="refresh" content="0;url={target}"></head></html>'.encode(),
        f"<script>window.location.href='{target}';</script>".encode(),
    )[way]
    servers = provider_servers(plot.seed, 500 + index % 2)
    return _spam(plot, index, "redirect", None, body, "/", servers, status=302 if way == 0 else 200)


def hoster_page(plot: Plot, index: int) -> CrawlPage:
    """Return a page from a shared hoster on which four sites of ten belong to a farm."""
    servers = provider_servers(plot.seed, 600 + plot.number % 5)
    if index % 5 < 2:
        farm = _farm_page(plot, index, "farm_copied" if plot.number % 2 else "farm_fake")
        return _rehosted(farm, "hoster_farm", servers)
    elsewhere = Plot(plot.seed, plot.half, plot.number + 50_000, plot.size, plot.honest, plot.corpus)
    return _rehosted(natural_page(elsewhere, index), "hoster_clean", servers)


def _rehosted(page: CrawlPage, kind: str, servers: tuple[str, ...]) -> CrawlPage:
    """Return the page as served by another provider."""
    return CrawlPage(
        page.url, page.body, kind, page.truth, page.truth_class, page.domain, page.group, servers
    )


def _farm_ns(plot: Plot, site: int) -> tuple[str, ...]:
    """Return the name servers of a farm's site: nine of ten with the farm's own provider."""
    return plot.hoster(site) if site % 10 == 9 else provider_servers(plot.seed, 1000 + plot.number)


def _spam(
    plot: Plot, site: int, kind: str, truth_class: str | None, body: bytes, path: str, servers: tuple[str, ...],
    *, status: int = 200,
) -> CrawlPage:  # fmt: skip
    """Return a spam page on a domain of the group."""
    domain = plot.domain(site)
    return CrawlPage(
        f"http://{domain}{path}", body, kind, "spam",
        truth_class,  # type: ignore[arg-type]  # one of the five or None, by the callers above
        domain, plot.name, servers, status,
    )  # fmt: skip
