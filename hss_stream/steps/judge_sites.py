"""From the home pages of a provider to its verdict: the same for a batch and for a sample in the stream.

Reads and writes nothing but its arguments and its result.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hss_stream.signals.k_center import (
    ClusterShape,
    KCenter,
    cluster_k_center,
    cluster_shapes,
    uncontained,
)
from hss_stream.signals.tag_structure import StructureTable, TagStructure
from hss_stream.verdicts.nameserver import (
    DEFAULT,
    NO_EVIDENCE,
    PAPER,
    OtherEvidence,
    ProviderRules,
    ProviderState,
    ProviderVerdict,
    is_spam_site,
    judge_provider,
)

# Pages with fewer tags are kept apart: nearly empty ones and bare errors are alike by accident.
LEAST_TAGS = 8


@dataclass(frozen=True, eq=False)
class JudgedSites:
    """A provider's verdict with its clusters and which of the given sites are flagged.

    Sites whose page has too few tags are no evidence: their place in `flagged` is False.
    """

    verdict: ProviderVerdict
    clusters: list[ClusterShape]
    flagged: NDArray[np.bool_]
    found: KCenter
    judged: NDArray[np.int64]  # places of the sites that were clustered


def judge_sites(
    sites: Sequence[TagStructure],
    *,
    rules: ProviderRules = DEFAULT,
    previous: ProviderState = "too_few",
    other: OtherEvidence = NO_EVIDENCE,
) -> JudgedSites:
    """Return the verdict on a provider with these home pages."""
    least = 0 if rules is PAPER else LEAST_TAGS
    judged = np.array([place for place, site in enumerate(sites) if len(site) >= least], np.int64)
    table = StructureTable([sites[place] for place in judged.tolist()])
    found = cluster_k_center(table, lossless=rules is not PAPER)
    shapes = cluster_shapes(table, found)
    verdict = judge_provider(shapes, rules=rules, previous=previous, other=other)
    flagged = np.zeros(len(sites), bool)
    if shapes:
        apart = uncontained(table, found).tolist()
        flagged[judged] = [
            is_spam_site(verdict, cluster, outside, rules)
            for cluster, outside in zip(found.clusters.tolist(), apart, strict=True)
        ]
    return JudgedSites(verdict, shapes, flagged, found, judged)
