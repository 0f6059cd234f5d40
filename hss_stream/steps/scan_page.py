"""From a raw page to what placing needs: sketch, probe words, text parts, linked domains.

Pure but for scratch space, which each thread has its own of: the kernels release the GIL, so several
threads scan at once.
"""

import re
import threading
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from hss_stream.errors import BadPageError
from hss_stream.models.suffix_list import load_suffix_rules
from hss_stream.signals.domain import registrable_domain
from hss_stream.signals.home_kind import home_kind
from hss_stream.signals.home_page import is_home_page
from hss_stream.signals.page_scan import PageScan, PageScanner
from hss_stream.signals.probes import probe_words
from hss_stream.signals.site_sample import EMPTY, FAKE, NATURAL, NO_STRUCTURE, PAGE, REDIRECT, Home
from hss_stream.signals.tag_structure import shortened, tag_structure
from hss_stream.signals.text_likeness import text_parts
from hss_stream.signals.words import WordHasher
from hss_stream.steps.candidates import SketchedPage
from hss_stream.steps.events import Origin
from hss_stream.steps.read_signals import ReadSignals, TextSignals
from hss_stream.store.layout import domain_hash, stored_url
from hss_stream.verdicts.placing import HTTP_ERROR, TOO_LITTLE_STYLE

# Kafka's headers and JSON lines could carry more, but no server accepts such a URL.
MAX_URL_BYTES = 65_536
MAX_LINK_DOMAINS = 16
# Likeness of text needs no more than the beginning.
LIKENESS_BYTES = 16_384
_LINK_HOST = re.compile(rb"(?:https?:)?//([^/?#\\\s]+)", re.IGNORECASE)


@dataclass(frozen=True)
class PageToPlace:
    """A page and where it came from: give its `body`, or its `scan` if it was scanned as it arrived."""

    origin: Origin
    url: str
    at_ms: int
    body: bytes = b""
    scan: PageScan | None = None
    content_type: str | None = None
    status: int | None = None
    domain: str | None = None
    nameservers: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScannedPage:
    """A page ready to be placed; `url` as it is stored, `extra` what its pin holds beside the decision.

    `home` is there when it is a home page that is evidence about its providers.
    """

    origin: Origin
    page_url: str
    at_ms: int
    domain: str
    url: bytes
    sketched: SketchedPage
    scan: PageScan | None = None
    signals: TextSignals | None = None
    extra: bytes = b""
    nameservers: tuple[str, ...] = ()
    home: Home | None = None

    @property
    def source(self) -> tuple[str, str, int]:
        """Group, topic and partition of the page."""
        group, topic, partition, _ = self.origin
        return group, topic, int(partition)


class _Scratch(threading.local):
    def __init__(self) -> None:
        self.scanner = PageScanner()
        self.hasher = WordHasher()


_scratch = _Scratch()


@lru_cache(maxsize=65_536)
def domain_of_host(host: str) -> str:
    """Return the registrable domain of a host name or address."""
    return registrable_domain(host, load_suffix_rules())


def domain_of_url(url: str) -> str:
    """Return the registrable domain of a URL; empty when it has no host."""
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return ""
    return domain_of_host(host) if host else ""


def link_domains(scan: PageScan, own: int) -> tuple[int, ...]:
    """Return the hashes of at most 16 domains a page links to, least first, its own left out."""
    hosts = {match.group(1) for link in scan.links if (match := _LINK_HOST.match(link))}
    domains = set()
    for host in hosts:
        name = host.rsplit(b"@", 1)[-1].split(b":", 1)[0].decode("utf-8", "replace").lower()
        domains.add(domain_hash(domain_of_host(name)))
    domains.discard(own)
    return tuple(sorted(domains)[:MAX_LINK_DOMAINS])


def scan_to_place(page: PageToPlace, read_signals: ReadSignals | None = None) -> ScannedPage:
    """Scan a page; BadPageError when its URL is beyond all measure."""
    if len(page.url) > MAX_URL_BYTES:
        raise BadPageError(f"reading a page: its URL has {len(page.url)} characters; at most {MAX_URL_BYTES}")
    scan = page.scan
    if scan is None:
        scanner = _scratch.scanner
        scanner.begin(page.content_type)
        scanner.update(page.body)
        scan = scanner.finish()
    domain = page.domain or domain_of_url(page.url)
    own = domain_hash(domain)
    sketch = scan.style.to_bytes()
    text = text_parts(_scratch.hasher.hash(scan.text[:LIKENESS_BYTES]))
    excluded = None
    is_evidence = page.status is None or page.status < 400
    if not is_evidence:
        excluded = HTTP_ERROR
    elif scan.style.is_degenerate or (page.status is not None and page.status >= 300):
        excluded = TOO_LITTLE_STYLE
    is_page = page.status is None or page.status < 300
    signals = read_signals(scan.text) if read_signals is not None and is_page else None
    sketched = SketchedPage(
        page.origin.offset, page.at_ms // 1000, own, sketch, probe_words(scan.style, sketch),
        link_domains(scan, own), text, excluded,
        (0, 0, 0) if signals is None else signals.fake_sums().to_numbers(),
    )  # fmt: skip
    url = stored_url(page.url)
    home = read_home(page, scan, domain, signals) if is_home_page(page.url) and is_evidence else None
    return ScannedPage(
        page.origin, page.url, page.at_ms, domain, url, sketched, scan, signals, b"", page.nameservers, home
    )


def read_home(page: PageToPlace, scan: PageScan, domain: str, signals: TextSignals | None) -> Home:
    """Return a home page as evidence about its providers; one that leads to its own domain is empty."""
    kind, target = home_kind(scan, page.body, page.url, page.status)
    leads_to = domain_of_url(target) if kind == REDIRECT else ""
    if kind == REDIRECT and leads_to in {"", domain}:
        kind, leads_to = EMPTY, ""
    fake = None if signals is None else signals.fake_text()
    flags = 0 if fake is None else {"natural": NATURAL, "fake": FAKE}.get(fake.verdict, 0)
    structure = shortened(tag_structure(scan.tags, scan.tag_lengths)) if kind == PAGE else NO_STRUCTURE
    return Home(structure, kind, leads_to, flags)
