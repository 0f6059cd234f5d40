"""Look a name server up: what is known of its provider.

Providers are not judged in the stream yet, so nothing is known of any: `state` is None, which users see as
null, and the verdict is `unknown`. The shape is that of the `nameserver` event.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from hss_stream.steps.look_up_page import UNKNOWN
from hss_stream.steps.scan_page import domain_of_url
from hss_stream.verdicts.reason import Verdict

_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
MAX_NAME = 253


@dataclass(frozen=True)
class NameVerdict:
    """What is known of a provider; None where nothing is."""

    provider: str
    verdict: Verdict = UNKNOWN
    state: str | None = None
    sites: int | None = None
    average_radius: float | None = None
    clusters: tuple[dict[str, Any], ...] | None = field(default=None)


def normal_name(name: str) -> str:
    """Return a host name in lower case, in ASCII and without a final dot; ValueError if it is none."""
    text = name.strip().rstrip(".").lower()
    if not text.isascii():
        text = text.encode("idna").decode()  # UnicodeError is a ValueError
    if len(text) > MAX_NAME or not _NAME.fullmatch(text):
        raise ValueError("this is no host name")
    return text


class LookUpName:
    """The step; one for a process."""

    async def __call__(self, name: str) -> NameVerdict:
        """Return what is known of the provider of a name server; `name` is a normal name."""
        return NameVerdict(domain_of_url(f"//{name}"))
