"""Look a URL up without its page: the cluster it is a sample of, else what its domain is known for.

Reads the domain's record and its clusters' records; writes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hss_stream.steps.look_up_cluster import FoundCluster
from hss_stream.steps.look_up_page import UNKNOWN, SubjectVerdict
from hss_stream.steps.look_up_space import LookUpSpace
from hss_stream.steps.page_verdict import AllowLists
from hss_stream.steps.scan_page import domain_of_url
from hss_stream.store.layout import domain_hash, stored_url
from hss_stream.store.records import DomainRecord
from hss_stream.verdicts.alert import AlertRules, judge_page
from hss_stream.verdicts.cluster_rules import is_alive
from hss_stream.verdicts.evidence import Host, PageEvidence
from hss_stream.verdicts.fake_sums import FakeSums

MatchedBy = Literal["page", "domain"]


@dataclass(frozen=True)
class UrlVerdict:
    """What is known of a URL, and by what it was found."""

    found: SubjectVerdict
    domain: str
    matched_by: MatchedBy | None


class LookUpUrl:
    """The step; one for a process."""

    def __init__(self, style: LookUpSpace, alert_rules: AlertRules, lists: AllowLists | None = None) -> None:
        self._style = style
        self._store = style.store
        self._rules = style.rules
        self._alert_rules = alert_rules
        self._lists = lists or AllowLists()

    async def __call__(self, url: str) -> UrlVerdict:
        """Return what is known of a URL."""
        domain = domain_of_url(url)
        record = await self._living_domain(domain)
        listed = domain in self._lists.domains
        if record is None:
            if listed:
                return UrlVerdict(self._judge(Host(domain, allow_listed=True), None), domain, "domain")
            return UrlVerdict(SubjectVerdict(UNKNOWN), domain, None)
        stored = stored_url(url)
        clusters = await self._clusters(record)
        host = Host(domain, FakeSums(*record.sums[:3]), listed)
        for cluster in clusters:
            if stored in cluster.record.samples or cluster.prototype.encode() == stored:
                return UrlVerdict(self._judge(host, cluster), domain, "page")
        if not clusters:
            return UrlVerdict(self._judge(host, None), domain, "domain")
        worst = max((self._judge(host, cluster) for cluster in clusters), key=lambda one: one.verdict.score)
        return UrlVerdict(worst, domain, "domain")

    async def _living_domain(self, domain: str) -> DomainRecord | None:
        name = domain_hash(domain)
        record = (await self._store.read_domains([name]))[0] if domain else None
        if record is None:
            return None
        clock = (await self._store.read_clocks())[name % self._store.shards]
        return record if is_alive(record.last, clock, self._rules.domain_lifetime_seconds) else None

    async def _clusters(self, record: DomainRecord) -> list[FoundCluster]:
        """Return the clusters a domain's record names, the latest first."""
        found: dict[int, FoundCluster] = {}
        for identity in dict.fromkeys((record.latest, record.worst)):
            if identity:
                cluster = await self._style.cluster(identity)
                if cluster is not None:
                    found[cluster.identity] = cluster
        return list(found.values())

    def _judge(self, host: Host, cluster: FoundCluster | None) -> SubjectVerdict:
        evidence = PageEvidence(host, None if cluster is None else cluster.to_evidence(self._lists))
        verdict = judge_page(evidence, self._alert_rules)
        return SubjectVerdict(verdict, None if cluster is None else cluster.name)

    async def spam_domains(self, domains: Sequence[str]) -> tuple[str, ...]:
        """Return those of some domains that are known for spam."""
        names = [domain_hash(domain) for domain in domains]
        records = await self._store.read_domains(names) if names else []
        known = [domain for domain, record in zip(domains, records, strict=True) if record is not None]
        looked = [await self(f"//{domain}/") for domain in known]
        return tuple(one.domain for one in looked if one.found.verdict.verdict == "spam")
