"""Whole pages a second: everything the scanner gives, against parsing and taking the text alone."""

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser

from hss_stream.models.suffix_list import load_suffix_rules
from hss_stream.signals.domain import registrable_domain
from hss_stream.signals.page_scan import PageScanner
from hss_stream.steps.scan_page import link_domains
from tests.bench.corpora import load_pages
from tests.bench.measure import by_groups, rate_row, summed_best_seconds


def rows(*, slow: bool) -> Iterator[dict[str, object]]:
    """Yield a row a corpus, then one with the domains of the links."""
    registrable_domain("example.com", load_suffix_rules())
    for name, every in (("pages-debian-docs", 8), ("pages-web", 5)):
        pages, corpus = load_pages(name, every=1 if slow else every)
        best = summed_best_seconds({
            "ours": by_groups(scan_all, pages),
            "domains": by_groups(scan_domains, pages),
            "selectolax": by_groups(parse_all, pages),
        })  # fmt: skip
        count = len(pages)
        for work, measure in (("ours", "pages_per_second"), ("domains", "pages_with_domains_per_second")):
            rate, base = count / best[work], count / best["selectolax"]
            yield rate_row(measure, rate, "selectolax", base, corpus=corpus)


def scan_all(pages: list[bytes]) -> None:
    """Take both sketches, tags, text and links of every page."""
    scanner = PageScanner()
    for page in pages:
        scanner.begin()
        scanner.update(page)
        scanner.finish()


def scan_domains(pages: list[bytes]) -> None:
    """Take all of it, and the domains the links lead to."""
    scanner = PageScanner()
    for page in pages:
        scanner.begin()
        scanner.update(page)
        link_domains(scanner.finish(), 0)


def parse_all(pages: list[bytes]) -> None:
    """Parse every page and take its text."""
    for page in pages:
        LexborHTMLParser(page).text()
