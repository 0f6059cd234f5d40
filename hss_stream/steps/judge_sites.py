"""From the home pages of a provider to its verdict: the same for a batch and for a sample in the stream.

Reads and writes nothing but its arguments and its result.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.home_kind import LEAST_TAGS
from hss_stream.signals.k_center import (
    ClusterShape,
    KCenter,
    cluster_k_center,
    cluster_shapes,
    uncontained,
)
from hss_stream.signals.site_sample import FAKE, FARM, NATURAL
from hss_stream.signals.tag_structure import StructureTable, TagStructure, shortened
from hss_stream.verdicts.nameserver import (
    DEFAULT,
    FARM_SHARE,
    NATURAL_SHARE,
    NO_EVIDENCE,
    PAPER,
    OtherEvidence,
    ProviderRules,
    ProviderState,
    ProviderVerdict,
    find_spam_clusters,
    is_spam_site,
    judge_provider,
)

# Sites that lead to one domain are a farm from this number on: a few may share an owner or a social network.
LEAST_REDIRECTS = 10


@dataclass(frozen=True, eq=False)
class JudgedSites:
    """A provider's verdict with its clusters and which of the given sites are flagged.

    Sites whose page has too few tags are no evidence: their place in `flagged` is False. The clusters are
    those of the pages, then one for each of `targets`, the domains that other sites lead to.
    """

    verdict: ProviderVerdict
    clusters: list[ClusterShape]
    flagged: NDArray[np.bool_]
    found: KCenter
    judged: NDArray[np.int64]  # places of the sites that were clustered
    targets: tuple[str, ...] = ()


def redirect_shapes(redirects: Sequence[str]) -> tuple[tuple[str, ...], list[ClusterShape]]:
    """Return the domains that sites lead to, most first, and each as a cluster of sites.

    Sites that lead to one place are identical pages to a visitor; a few that do are as if all different.
    """
    counts = sorted(Counter(redirects).items(), key=lambda one: (-one[1], one[0]))
    shapes = []
    for _, size in counts:
        apart = 0.0 if size >= LEAST_REDIRECTS else 1.0
        shapes.append(ClusterShape(size, apart, apart, apart, -1))
    return tuple(target for target, _ in counts), shapes


def different_sites(
    table: StructureTable,
    shapes: Sequence[ClusterShape],
    rules: ProviderRules,
    sites: int,
    hosted: int | None,
) -> float:
    """Return how many sites of a provider are far from every spam cluster; 0 where too few to matter.

    Where one template has most of the sites, different ones are left over as tiny clusters of their own.
    """
    hosted = hosted or sites
    found = find_spam_clusters(shapes, rules)
    spam = np.array(
        [shape.center for shape, is_spam in zip(shapes, found, strict=True) if is_spam], np.int64
    )  # fmt: skip
    if hosted < rules.hoster_sites or not len(spam):
        return 0.0
    far = sum(
        shape.size
        for shape, is_spam in zip(shapes, found, strict=True)
        if not is_spam and table.tag_distances(shape.center, spam).min() >= rules.most_distance
    )
    return far / sites * hosted if far >= rules.hoster_share * sites else 0.0


def natural_clusters(found: KCenter, flags: Sequence[int]) -> list[bool]:
    """Tell which clusters consist of pages whose texts read natural and that are in no link farm."""
    natural = []
    for cluster in range(len(found.centers)):
        of_it = [flags[place] for place in np.flatnonzero(found.clusters == cluster).tolist()]
        read, fake, farm = (sum(1 for one in of_it if one & bit) for bit in (NATURAL, FAKE, FARM))
        known = 2 * (read + fake) >= len(of_it)
        natural.append(known and read >= NATURAL_SHARE * (read + fake) and farm < FARM_SHARE * len(of_it))
    return natural


def judge_sites(
    sites: Sequence[TagStructure],
    *,
    rules: ProviderRules = DEFAULT,
    previous: ProviderState = "too_few",
    other: OtherEvidence = NO_EVIDENCE,
    redirects: Sequence[str] = (),
    hosted: int | None = None,
    flags: Sequence[int] = (),
) -> JudgedSites:
    """Return the verdict on a provider with these home pages and sites that lead to these domains.

    `flags` are what other signals say of each page (`site_sample.py`); `hosted` is the number of sites where
    these are a sample.
    """
    least = 0 if rules is PAPER else LEAST_TAGS
    judged = np.array([place for place, site in enumerate(sites) if len(site) >= least], np.int64)
    table = StructureTable([shortened(sites[place]) for place in judged.tolist()])
    found = cluster_k_center(table, lossless=rules is not PAPER)
    shapes = cluster_shapes(table, found)
    targets, more = redirect_shapes(redirects)
    different = different_sites(table, shapes, rules, len(judged) + len(redirects), hosted)
    natural = natural_clusters(found, [flags[place] for place in judged.tolist()]) if flags else []
    verdict = judge_provider(
        shapes + more,
        rules=rules,
        previous=previous,
        other=other,
        different=different,
        natural=natural + [False] * len(more) if flags else (),
    )
    flagged = np.zeros(len(sites), bool)
    if shapes:
        apart = uncontained(table, found).tolist()
        flagged[judged] = [
            is_spam_site(verdict, cluster, outside, rules)
            for cluster, outside in zip(found.clusters.tolist(), apart, strict=True)
        ]
    return JudgedSites(verdict, shapes + more, flagged, found, judged, targets)
