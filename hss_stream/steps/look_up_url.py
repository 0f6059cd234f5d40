"""Look a URL up without its page: the cluster it is a sample of, else what its domain is known for.

Reads the domain's record and its clusters' records; writes nothing.
"""

from dataclasses import dataclass
from typing import Literal

from hss_stream.steps.look_up_cluster import FoundCluster, look_up_cluster
from hss_stream.steps.look_up_page import UNKNOWN, SubjectVerdict
from hss_stream.steps.scan_page import domain_of_url
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.store.layout import domain_hash, stored_url
from hss_stream.store.records import DomainRecord
from hss_stream.verdicts.alert import AlertRules, judge_page
from hss_stream.verdicts.cluster_id import STYLE
from hss_stream.verdicts.cluster_rules import ClusterRules, is_alive
from hss_stream.verdicts.evidence import Host, PageEvidence

MatchedBy = Literal["page", "domain"]


@dataclass(frozen=True)
class UrlVerdict:
    """What is known of a URL, and by what it was found."""

    found: SubjectVerdict
    domain: str
    matched_by: MatchedBy | None


class LookUpUrl:
    """The step; one for a process."""

    def __init__(self, store: ClusterStore, rules: ClusterRules, alert_rules: AlertRules) -> None:
        self._store = store
        self._rules = rules
        self._alert_rules = alert_rules

    async def __call__(self, url: str) -> UrlVerdict:
        """Return what is known of a URL."""
        domain = domain_of_url(url)
        record = await self._living_domain(domain)
        if record is None:
            return UrlVerdict(SubjectVerdict(UNKNOWN), domain, None)
        stored = stored_url(url)
        clusters = await self._clusters(record)
        for cluster in clusters:
            if stored in cluster.record.samples or cluster.prototype.encode() == stored:
                return UrlVerdict(self._judge(domain, cluster), domain, "page")
        if not clusters:
            return UrlVerdict(SubjectVerdict(UNKNOWN), domain, "domain")
        worst = max((self._judge(domain, cluster) for cluster in clusters), key=lambda one: one.verdict.score)
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
                cluster = await look_up_cluster(self._store, self._rules, STYLE, identity)
                if cluster is not None:
                    found[cluster.identity] = cluster
        return list(found.values())

    def _judge(self, domain: str, cluster: FoundCluster) -> SubjectVerdict:
        evidence = PageEvidence(Host(domain), cluster.to_evidence())
        return SubjectVerdict(judge_page(evidence, self._alert_rules), cluster.name)
