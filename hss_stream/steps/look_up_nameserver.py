"""Look a name server up: what is known of its provider, from the name alone.

Reads one record; writes nothing. The verdict on a page can so be known after the first DNS query.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from hss_stream.steps.look_up_page import UNKNOWN
from hss_stream.steps.provider_names import provider_of, providers_of
from hss_stream.store.layout import domain_hash
from hss_stream.store.provider_records import STATES, ProviderRecord
from hss_stream.store.provider_store import ProviderReads
from hss_stream.verdicts.provider_reasons import sum_provider
from hss_stream.verdicts.reason import Reason, Verdict

LABELS = (None, "spam", "ham")


@dataclass(frozen=True)
class NameVerdict:
    """What is known of a provider; None where nothing is."""

    provider: str
    verdict: Verdict = UNKNOWN
    state: str | None = None
    sites: int | None = None
    average_radius: float | None = None
    clusters: tuple[dict[str, Any], ...] | None = None


class LookUpNameserver:
    """The step; one for a process."""

    def __init__(self, store: ProviderReads) -> None:
        self.store = store

    async def __call__(self, name: str) -> NameVerdict:
        """Return what is known of the provider of a name server; ValueError when it is no name."""
        provider = provider_of(name)
        [record] = await self.store.read_heads([domain_hash(provider)])
        return NameVerdict(provider) if record is None else name_verdict(record)

    async def spam_provider(self, nameservers: Iterable[str]) -> str | None:
        """Return the first of the providers of a page that is listed as spam."""
        providers = list(providers_of(nameservers))
        records = await self.store.read_heads([domain_hash(one) for one in providers]) if providers else []
        listed = (record.name for record in records if record and record.state == STATES.index("spam"))
        return next(listed, None)


def shown_provider(record: ProviderRecord) -> dict[str, Any]:
    """Return what is known of a provider as its event says; of one without an event, that."""
    if record.event:
        shown: dict[str, Any] = orjson.loads(record.event)
        return shown
    facts = orjson.loads(record.facts) if record.facts else {"nameservers": [], "sites": 0}
    return {
        "event": "nameserver", "format": 1, "provider": record.name, "revision": record.revision,
        "nameservers": facts["nameservers"], "state": record.state_name, "previous": None,
        "sites": facts["sites"],
        "average_radius": None, "clusters": [], "reasons": [], "counterfactual": None,
        "label": LABELS[record.label],
    }  # fmt: skip


def name_verdict(record: ProviderRecord) -> NameVerdict:
    """Return the verdict in a provider's record."""
    shown = shown_provider(record)
    reasons = [Reason(one["name"], one["weight"], one["facts"]) for one in shown["reasons"]]
    return NameVerdict(
        record.name, sum_provider(reasons), record.state_name, shown["sites"], shown["average_radius"],
        tuple(shown["clusters"]),
    )  # fmt: skip
