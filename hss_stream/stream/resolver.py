"""The name servers of domains that came without: asked of the DNS, where the operator allows it.

Off by default. One question a domain and day, many at once, each with a time limit; no answer is no name
server. Nothing but the DNS is ever asked, and no address found is opened.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Sequence

import dns.asyncresolver
import dns.exception

CACHE_NAMES = 65_536
CACHE_SECONDS = 86_400.0
MOST_AT_ONCE = 64


class NameserverResolver:
    """Asks for NS records; `servers` and `port` stand in for the system's resolver."""

    def __init__(self, seconds: float, servers: Sequence[str] | None = None, port: int = 53) -> None:
        self._resolver = dns.asyncresolver.Resolver(configure=servers is None)
        if servers is not None:
            self._resolver.nameservers = list(servers)
            self._resolver.port = port
        self._resolver.lifetime = self._resolver.timeout = seconds
        self._gate = asyncio.Semaphore(MOST_AT_ONCE)
        self._known: OrderedDict[str, tuple[float, tuple[str, ...]]] = OrderedDict()

    async def __call__(self, domains: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the name servers of each domain; none where the DNS does not say in time."""
        return list(await asyncio.gather(*map(self._of, domains)))

    async def _of(self, domain: str) -> tuple[str, ...]:
        kept = self._known.get(domain)
        if kept is not None and time.monotonic() - kept[0] < CACHE_SECONDS:
            return kept[1]
        async with self._gate:
            names = await self._ask(domain)
        self._known[domain] = (time.monotonic(), names)
        self._known.move_to_end(domain)
        if len(self._known) > CACHE_NAMES:
            self._known.popitem(last=False)
        return names

    async def _ask(self, domain: str) -> tuple[str, ...]:
        try:
            answer = await self._resolver.resolve(domain, "NS")
        except (dns.exception.DNSException, OSError, ValueError):
            return ()
        return tuple(sorted(str(record.target).rstrip(".").lower() for record in answer))
