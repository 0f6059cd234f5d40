"""Providers out of a labelled source: home pages with name servers and the field `truth`."""

from collections import defaultdict
from collections.abc import Callable, Iterable

from hss_stream.lab.nameserver_evaluation import KnownProvider
from hss_stream.signals.home_page import is_home_page
from hss_stream.signals.page_scan import scan_page
from hss_stream.signals.tag_structure import TagStructure, tag_structure
from hss_stream.sources.record import SourceRecord

# Name servers a page may name; more are not looked at.
MAX_NAMESERVERS = 8


def known_providers(records: Iterable[SourceRecord], domain_of: Callable[[str], str]) -> list[KnownProvider]:
    """Return the providers of all labelled home pages, by name; a site counts once, with its last page.

    A provider is spam where most of its sites are, as in the paper. Pages without truth, without name
    servers, with an HTTP error or that are no home pages do not count.
    """
    sites: dict[str, dict[str, tuple[TagStructure, bool]]] = defaultdict(dict)
    for record in records:
        is_error = record.status is not None and record.status >= 400
        if record.kind != "page" or record.truth is None or is_error or not is_home_page(record.url):
            continue
        scan = scan_page(record.body, record.content_type)
        page = (tag_structure(scan.tags, scan.tag_lengths), record.truth == "spam")
        providers = {domain_of(f"//{name}") for name in record.nameservers[:MAX_NAMESERVERS]} - {""}
        for provider in providers:
            sites[provider][record.domain or domain_of(record.url)] = page
    known = []
    for name in sorted(sites):
        structures, spam = zip(*sites[name].values(), strict=True)
        known.append(KnownProvider(name, structures, spam, is_spam=sum(spam) * 2 > len(spam)))
    return known
