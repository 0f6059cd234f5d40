"""Why a provider is listed, watched or cleared: the reasons of its verdict, with weights and facts.

The weights follow the state, so that the sum says the same: 6 lists, 3 watches. What structure says is shared
out between templates and redirects by the sites each of them has.
"""

from collections.abc import Sequence

from hss_stream.verdicts.nameserver import OtherEvidence, ProviderVerdict
from hss_stream.verdicts.reason import (
    NS_FAKE_TEXT,
    NS_HAM,
    NS_LABELLED,
    NS_LINK_FARM,
    NS_NATURAL_TEXT,
    NS_REDIRECTS,
    NS_SHARED_HOSTER,
    NS_TEMPLATE,
    Facts,
    Reason,
    Verdict,
    sum_reasons,
)

LISTS, WATCHES = 6.0, 3.0


def provider_reasons(
    verdict: ProviderVerdict, other: OtherEvidence, sizes: Sequence[int], redirects: int
) -> list[Reason]:
    """Return the reasons of a verdict; the last `redirects` of the clusters (`sizes`) lead elsewhere."""
    if verdict.decided_by == "label" and other.label == "ham":
        return [Reason(NS_HAM, 0.0, {"spam_share": round(verdict.spam_share, 3), "sites": verdict.sites})]
    reasons = []
    if verdict.decided_by == "label":
        reasons.append(Reason(NS_LABELLED, LISTS, {"label": "spam"}))
    elif verdict.state not in {"spam", "watch"}:
        return []
    return reasons + _structure_reasons(verdict, sizes, redirects) + _other_reasons(verdict, other)


def _structure_reasons(verdict: ProviderVerdict, sizes: Sequence[int], redirects: int) -> list[Reason]:
    """Return what templates and redirects say: shares of the weight by their sites."""
    pages = len(sizes) - redirects
    spam = [size if is_spam else 0 for size, is_spam in zip(sizes, verdict.spam_clusters, strict=True)]
    template, leading = sum(spam[:pages]), sum(spam[pages:])
    if verdict.decided_by == "label":
        base = 0.0
    else:
        by_structure = verdict.decided_by in {"structure", "natural_text", "shared_hoster"}
        base = LISTS if by_structure and _is_listed(verdict) else WATCHES
    total = template + leading
    leading_weight = round(base * leading / total, 2) if total else 0.0
    share = round(verdict.spam_share, 3)
    reasons = []
    if template:
        clusters = sum(1 for size in spam[:pages] if size)
        facts: Facts = {"spam_share": share, "sites": template, "clusters": clusters}
        facts["average_radius"] = round(verdict.average_radius, 3)
        reasons.append(Reason(NS_TEMPLATE, round(base - leading_weight, 2), facts))
    if leading:
        shown: Facts = {"spam_share": share, "sites": leading}
        reasons.append(Reason(NS_REDIRECTS, leading_weight, shown))
    return reasons


def _is_listed(verdict: ProviderVerdict) -> bool:
    """Tell whether structure alone lists, whatever else decided."""
    return verdict.state == "spam" or verdict.decided_by in {"natural_text", "shared_hoster"}


def _other_reasons(verdict: ProviderVerdict, other: OtherEvidence) -> list[Reason]:
    """Return what decided against or beyond structure."""
    if verdict.decided_by == "natural_text":
        share = round(other.natural_share or 0.0, 3)
        return [Reason(NS_NATURAL_TEXT, -WATCHES, {"natural_share": share})]
    if verdict.decided_by == "shared_hoster":
        return [Reason(NS_SHARED_HOSTER, -WATCHES, {"spam_share": round(verdict.spam_share, 3)})]
    if verdict.decided_by == "fake_text":
        return [Reason(NS_FAKE_TEXT, LISTS - WATCHES, {"fake_share": round(other.fake_share or 0.0, 3)})]
    if verdict.decided_by == "link_farm":
        return [Reason(NS_LINK_FARM, LISTS - WATCHES, {"farm_share": round(other.farm_share or 0.0, 3)})]
    return []


def sum_provider(reasons: Sequence[Reason]) -> Verdict:
    """Return the verdict of a provider's reasons: spam when listed, suspect when watched."""
    return sum_reasons(reasons, WATCHES, LISTS)
