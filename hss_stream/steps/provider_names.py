"""From the name servers of a page to their providers: the registrable domains that serve its name.

Hostile input is expected: only names and addresses count, in one spelling, and only the first eight.
"""

import re
from collections.abc import Iterable
from ipaddress import ip_address
from itertools import islice

from hss_stream.steps.scan_page import domain_of_host

_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
MAX_NAME = 253
MAX_NAMESERVERS = 8


def normal_name(name: str) -> str:
    """Return a host name in lower case, in ASCII and without a final dot; ValueError if it is none."""
    text = name.strip().rstrip(".").lower()
    if not text.isascii():
        text = text.encode("idna").decode()  # UnicodeError is a ValueError
    if len(text) > MAX_NAME or not _NAME.fullmatch(text):
        raise ValueError("this is no host name")
    return text


def provider_of(name: str) -> str:
    """Return the provider of a name server; ValueError when it is neither a name nor an address.

    >>> provider_of("NS1.Example.CO.UK."), provider_of("[2001:DB8::1]")
    ('example.co.uk', '2001:db8::1')
    """
    try:
        return str(ip_address(name.strip().strip("[]")))
    except ValueError:
        pass
    text = normal_name(name)
    if "." not in text:
        raise ValueError("a name server has more than one label")
    return domain_of_host(text)


def providers_of(nameservers: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the name servers of a page by provider; those beyond the eighth and non-names are left out."""
    found: dict[str, list[str]] = {}
    for name in islice(nameservers, MAX_NAMESERVERS):
        try:
            provider = provider_of(name)
        except ValueError:
            continue
        shown = name.strip().rstrip(".").lower()[:MAX_NAME]
        if shown not in found.setdefault(provider, []):
            found[provider].append(shown)
    return {provider: tuple(found[provider]) for provider in sorted(found)}
