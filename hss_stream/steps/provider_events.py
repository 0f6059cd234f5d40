"""The events of a provider: its new state with the evidence, and the alert when it becomes spam."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from hss_stream.signals.site_sample import KIND_NAMES, PAGE, SiteSample
from hss_stream.steps.events import Event, Origin, make_event
from hss_stream.steps.judge_sites import JudgedSites, judge_sites
from hss_stream.steps.page_verdict import alert_event
from hss_stream.steps.provider_state import KnownState
from hss_stream.verdicts.alert import is_change_alert_due
from hss_stream.verdicts.nameserver import OtherEvidence
from hss_stream.verdicts.provider_reasons import provider_reasons, sum_provider
from hss_stream.verdicts.reason import Reason, Verdict

# Sites shown as evidence of an alert.
SHOWN_SITES = 8
# Redirects may lead to as many places as there are sites.
SHOWN_CLUSTERS = 32
_ROUNDS = 6


def site_url(domain: str) -> str:
    """Return the address by which a site is shown."""
    return f"http://{domain}/"


def provider_events(
    before: KnownState, after: KnownState, found: JudgedSites, other: OtherEvidence, origin: Origin
) -> Iterator[Event]:
    """Yield the event of a change, and the alert of a provider that became spam."""
    shown = shown_state(after, found, other)
    needed = counterfactual(after.sample, found)
    yield make_event(
        "nameserver", origin, after.at_ms, after.name, after.state, after.name,
        provider=after.name, revision=after.revision, state=after.state, previous=before.state, **shown,
        counterfactual=needed,
    )  # fmt: skip
    verdict = sum_provider(state_reasons(found, other))
    if is_change_alert_due("nameserver", _verdict_before(before), verdict):
        pages = page_domains(after.sample)
        urls = [site_url(domain) for domain in (spam_sites(found, pages) or pages)[:SHOWN_SITES]]
        yield alert_event(origin, after.at_ms, "nameserver", after.name, verdict, urls, [])


def shown_state(state: KnownState, found: JudgedSites, other: OtherEvidence) -> dict[str, Any]:
    """Return the evidence behind a state, as events and look-ups show it."""
    return {
        "nameservers": list(state.nameservers),
        "sites": state.sample.estimate(state.day),
        "average_radius": round(found.verdict.average_radius, 6),
        "clusters": shown_clusters(found, page_domains(state.sample)),
        "reasons": [reason.to_json() for reason in state_reasons(found, other)],
        "label": other.label,
        "decided_by": found.verdict.decided_by,
        "spam_share": round(found.verdict.spam_share, 6),
        "sampled": len(state.sample.sites),
        "kept_apart": kept_apart(state.sample),
    }


def state_reasons(found: JudgedSites, other: OtherEvidence) -> list[Reason]:
    """Return the reasons of a verdict."""
    sizes = [cluster.size for cluster in found.clusters]
    return provider_reasons(found.verdict, other, sizes, len(found.targets))


def page_domains(sample: SiteSample) -> list[str]:
    """Return the domains whose pages were compared, by rank."""
    return [domain for domain, home in sample.ordered() if home.kind == PAGE]


def _verdict_before(before: KnownState) -> Verdict:
    """Return a verdict that stands for the state before."""
    return sum_provider([Reason("", 6.0)] if before.state == "spam" else [])


def shown_clusters(found: JudgedSites, pages: list[str]) -> list[dict[str, Any]]:
    """Return the clusters as events show them, largest first; `center` is a site, or where sites lead."""
    judged, templates = found.judged.tolist(), len(found.clusters) - len(found.targets)
    shown = []
    order = sorted(range(len(found.clusters)), key=lambda place: (-found.clusters[place].size, place))
    for place in order[:SHOWN_CLUSTERS]:
        cluster = found.clusters[place]
        leads = place >= templates
        name = found.targets[place - templates] if leads else pages[judged[cluster.center]]
        shown.append(
            {
                "size": cluster.size, "radius": round(cluster.radius, 6),
                "mean_distance": round(cluster.mean_distance, 6), "center": site_url(name),
                "spam": found.verdict.spam_clusters[place], "kind": "redirect" if leads else "page",
            }
        )  # fmt: skip
    return shown


def spam_sites(found: JudgedSites, pages: list[str]) -> list[str]:
    """Return the domains in spam clusters of pages, by rank."""
    judged = found.judged.tolist()
    return [
        pages[judged[place]]
        for place, cluster in enumerate(found.found.clusters.tolist())
        if found.verdict.spam_clusters[cluster]
    ]


def kept_apart(sample: SiteSample) -> dict[str, int]:
    """Return how many home pages are no evidence, by kind."""
    counts = Counter(KIND_NAMES[site.home.kind] for site in sample.sites.values())
    return {kind: counts[kind] for kind in ("empty", "default")}


def counterfactual(sample: SiteSample, found: JudgedSites) -> dict[str, Any] | None:
    """Return a smallest set of sampled domains without which the provider would not be listed.

    The number follows from the rule; that the provider would really not be listed is tried out, because
    without these sites the others may fall into other clusters.
    """
    needed = found.verdict.counterfactual
    if needed is None:
        return None
    pages = {domain: home for domain, home in sample.ordered() if home.kind == PAGE}
    candidates = spam_sites(found, list(pages)) + [
        domain for domain, home in sample.ordered() if home.target in found.targets and home.target
    ]
    count = min(needed.sites, len(candidates))
    for _ in range(_ROUNDS):
        gone = set(candidates[:count])
        rest = judge_sites(
            [home.structure for domain, home in pages.items() if domain not in gone],
            flags=[home.flags for domain, home in pages.items() if domain not in gone],
            previous="spam",
            redirects=[
                home.target for domain, home in sample.ordered() if home.target and domain not in gone
            ],
        )
        if rest.verdict.state != "spam" or count == len(candidates):
            break
        count = min(len(candidates), count + max(1, count // 10))
    return {"sites": count, "because": needed.because, "domains": candidates[:count]}
