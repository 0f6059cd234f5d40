"""Whether a name-server provider hosts nothing but generated sites (Geraci, WWW 2015 Companion).

The paper: cluster a provider's home pages into 16 k-center clusters; one whose mean distance to its centre
is below 0.25 is spam, and so is a provider most of whose sites are in such clusters. Read to the letter
this lists every WordPress host, so `PAPER` is there to be compared with, and `DEFAULT` differs:

- distances are exact D (the cascade's values are lower bounds and pull different sites together);
- the threshold follows the evidence: a cluster is spam if its pages are nearly contained in each other
  (mean C below a limit) and not too far apart in D. Parked pages pass because both are near 0, templates
  of varying length because C is small where D is not; sites of one CMS with different themes do not;
- tiny clusters prove nothing, neither for nor against; a provider needs well over k sites;
- a provider is listed at one share of its sites and leaves the list at a lower one;
- a hoster on which only some clusters are spam is `watch` or `clean`, and those *sites* are flagged; one with
  many different sites is never listed, however many generated ones somebody registers there;
- where structure cannot tell, other evidence does: fake text or link farms list a watched provider, and
  natural text without link farms keeps one off the list whose sites are alike but not nearly identical (a
  theme is built like a template). An editor's label wins over everything.

The paper's slips: it prints 2.5 for 0.25, its average radius lacks the division by N, and it calls R and F
upper bounds of D.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

ProviderState = Literal["too_few", "watch", "spam", "clean"]


class ClusterFacts(Protocol):
    """What the verdict has to know about a cluster; `signals.k_center.ClusterShape` is one."""

    @property
    def size(self) -> int:
        """Sites of the cluster."""

    @property
    def radius(self) -> float:
        """Greatest distance to the centre."""

    @property
    def mean_distance(self) -> float:
        """Mean distance to the centre, the centre's own 0 among them."""

    @property
    def mean_uncontained(self) -> float:
        """Mean share of the shorter page that has no match in the other."""


@dataclass(frozen=True, slots=True)
class ProviderRules:
    """When a cluster and a provider are spam; distances and shares are in [0, 1]."""

    least_sites: int
    # A cluster: at least so many sites, nearer than this on average, and contained in each other.
    least_cluster: int
    most_distance: float
    most_uncontained: float
    # A provider: share of the sites in spam clusters at which it is listed, leaves the list, is watched.
    spam_share: float
    keep_share: float
    watch_share: float
    # A site of a spam cluster is flagged up to this C to the centre; outliers land there by accident.
    most_site_uncontained: float
    # Clusters so uniform that structure alone tells: of a whole provider, and of one small cluster.
    certain_distance: float = 1.1
    certain_uncontained: float = 1.1
    cluster_uncontained: float = 1.1
    # A cluster of so many sites and this share of all is no accident of cutting sites into 16 clusters.
    large_cluster: int = 0
    large_share: float = 0.0
    # With so many sites that are far from every spam cluster, and this share of all, it is a shared hoster.
    hoster_sites: float = math.inf
    hoster_share: float = 1.1


PAPER = ProviderRules(
    least_sites=1,
    least_cluster=1,
    most_distance=0.25,
    most_uncontained=1.1,
    spam_share=0.5,
    keep_share=0.5,
    watch_share=0.5,
    most_site_uncontained=1.1,
)
# Chosen on simulated providers over real pages; see docs/algorithms/nameserver.md. 48 is 3 k.
DEFAULT = ProviderRules(
    least_sites=48,
    least_cluster=3,
    most_distance=0.55,
    most_uncontained=0.36,
    spam_share=0.65,
    keep_share=0.55,
    watch_share=0.30,
    most_site_uncontained=0.5,
    certain_distance=0.15,
    certain_uncontained=0.09,
    cluster_uncontained=0.09,
    large_cluster=8,
    large_share=1.5 / 16,
    hoster_sites=100,
    hoster_share=0.05,
)


@dataclass(frozen=True, slots=True)
class OtherEvidence:
    """What other signals say about a provider; shares are of its sites, in [0, 1], None where not known."""

    label: Literal["spam", "ham"] | None = None
    natural_share: float | None = None  # sites whose text was long enough to judge and reads natural
    fake_share: float | None = None  # sites whose text reads fake
    farm_share: float | None = None  # sites whose style cluster is a link farm


NO_EVIDENCE = OtherEvidence()
# Where so many sites read natural, and so few are in link farms, one template is a theme.
NATURAL_SHARE, FARM_SHARE = 0.8, 0.2
# From this share on, fake text or link farms list a provider that structure alone only watches.
LISTING_SHARE = 0.5

DecidedBy = Literal["structure", "label", "natural_text", "fake_text", "link_farm", "shared_hoster"]


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """The smallest number of sites without which the provider would not be listed, and why that would do."""

    sites: int
    because: Literal["share", "too_few"]


@dataclass(frozen=True, slots=True)
class ProviderVerdict:
    """The state of a provider, which of its clusters are spam, and the numbers behind it."""

    state: ProviderState
    sites: int
    spam_sites: int
    spam_share: float
    average_radius: float
    spam_clusters: tuple[bool, ...]
    counterfactual: Counterfactual | None
    # Which evidence decided.
    decided_by: DecidedBy


def average_radius(clusters: Sequence[ClusterFacts]) -> float:
    """Return the mean over all sites of the radius of their cluster, in [0, 1]."""
    sites = sum(cluster.size for cluster in clusters)
    return sum(cluster.size * cluster.radius for cluster in clusters) / sites if sites else 0.0


def is_spam_cluster(cluster: ClusterFacts, rules: ProviderRules = DEFAULT) -> bool:
    """Tell whether the sites of a cluster are too much alike to be made by different people."""
    if cluster.size < rules.least_cluster:
        return False
    # The centre is at distance 0 from itself, which makes small clusters look homogeneous.
    others = cluster.size / (cluster.size - 1) if rules.least_cluster > 1 else 1.0
    return (
        cluster.mean_distance * others < rules.most_distance
        and cluster.mean_uncontained * others < rules.most_uncontained
    )


def is_spam_site(
    verdict: ProviderVerdict, cluster: int, uncontained: float, rules: ProviderRules = DEFAULT
) -> bool:
    """Tell whether a site is flagged: all of a spam provider, else those well inside a spam cluster."""
    # The paper judges sites by their cluster alone.
    if verdict.state == "spam" and rules is not PAPER:
        return True
    return verdict.spam_clusters[cluster] and uncontained < rules.most_site_uncontained


def find_spam_clusters(
    clusters: Sequence[ClusterFacts], rules: ProviderRules = DEFAULT, natural: Sequence[bool] = ()
) -> tuple[bool, ...]:
    """Tell which clusters are spam; `natural` are those whose texts and links speak for people.

    Sixteen clusters of any sites hold some that happen to be alike: where a small cluster is neither nearly
    identical nor made of anything but natural text, structure cannot tell.
    """
    sites = sum(cluster.size for cluster in clusters)
    strict = replace(rules, most_uncontained=rules.cluster_uncontained)
    honest = natural or (False,) * len(clusters)
    return tuple(
        is_spam_cluster(cluster, rules)
        and not (
            is_honest
            and cluster.size < max(rules.large_cluster, rules.large_share * sites)
            and not is_spam_cluster(cluster, strict)
        )
        for cluster, is_honest in zip(clusters, honest, strict=True)
    )  # fmt: skip


def judge_provider(
    clusters: Sequence[ClusterFacts],
    *,
    rules: ProviderRules = DEFAULT,
    previous: ProviderState = "too_few",
    other: OtherEvidence = NO_EVIDENCE,
    different: float = 0.0,
    natural: Sequence[bool] = (),
) -> ProviderVerdict:
    """Return the verdict on a provider from its clusters, its former state and other signals.

    `different` is the number of its sites that are far from every spam cluster, `natural` tells the
    clusters whose texts and links speak for people.
    """
    sites = sum(cluster.size for cluster in clusters)
    spam = find_spam_clusters(clusters, rules, natural)
    spam_sites = _sites_of(clusters, spam)
    # Sites in tiny clusters say nothing; where they are the most, nothing can be said at all.
    telling = sum(cluster.size for cluster in clusters if cluster.size >= rules.least_cluster)
    can_tell = telling > 0 and telling * 2 >= sites
    share = spam_sites / telling if can_tell else 0.0
    by_structure = _sites_of(clusters, find_spam_clusters(clusters, rules)) / telling if can_tell else 0.0
    certain = _certain_share(clusters, telling, rules)
    state, decided_by = _decide(
        _state(sites, share, previous, rules),
        other,
        is_hoster=different >= rules.hoster_sites,
        is_cleared=_state(sites, by_structure, previous, rules) == "spam",
        is_doubtful=certain < rules.keep_share,
    )
    is_counted = state == "spam" and decided_by == "structure"
    needed = _counterfactual(sites, spam_sites, telling, rules) if is_counted else None
    return ProviderVerdict(
        state, sites, spam_sites, share, average_radius(clusters), spam, needed, decided_by
    )


def _decide(
    state: ProviderState, other: OtherEvidence, *, is_hoster: bool, is_cleared: bool, is_doubtful: bool
) -> tuple[ProviderState, DecidedBy]:
    """Return the state with everything considered, and what decided.

    `is_cleared`: without the texts of its clusters it would be listed; `is_doubtful`: its sites are not
    nearly identical.
    """
    if other.label is not None:
        return ("spam" if other.label == "spam" else "clean"), "label"
    if state == "spam":
        if is_hoster:
            return "watch", "shared_hoster"
        natural = is_doubtful and _reads_natural(other)
        return ("watch", "natural_text") if natural else (state, "structure")
    if state == "watch" and (other.fake_share or 0.0) >= LISTING_SHARE:
        return "spam", "fake_text"
    if state == "watch" and (other.farm_share or 0.0) >= LISTING_SHARE:
        return "spam", "link_farm"
    return ("watch", "natural_text") if is_cleared else (state, "structure")


def _sites_of(clusters: Sequence[ClusterFacts], chosen: Sequence[bool]) -> int:
    """Return the number of sites in some of the clusters."""
    return sum(cluster.size for cluster, is_chosen in zip(clusters, chosen, strict=True) if is_chosen)


def _certain_share(clusters: Sequence[ClusterFacts], telling: int, rules: ProviderRules) -> float:
    """Return the share of the sites in clusters too uniform for a theme."""
    strict = replace(
        rules, most_distance=rules.certain_distance, most_uncontained=rules.certain_uncontained
    )  # fmt: skip
    return _sites_of(clusters, [is_spam_cluster(cluster, strict) for cluster in clusters]) / max(telling, 1)


def _reads_natural(other: OtherEvidence) -> bool:
    """Tell whether text and links speak for people behind the sites."""
    natural = other.natural_share is not None and other.natural_share >= NATURAL_SHARE
    return natural and (other.farm_share is None or other.farm_share < FARM_SHARE)


def _state(sites: int, share: float, previous: ProviderState, rules: ProviderRules) -> ProviderState:
    """Return the state for a share; a listed provider stays listed down to the lower share."""
    if sites < rules.least_sites:
        return "too_few"
    if share >= (rules.keep_share if previous == "spam" else rules.spam_share):
        return "spam"
    return "watch" if share >= rules.watch_share else "clean"


def _counterfactual(sites: int, spam_sites: int, telling: int, rules: ProviderRules) -> Counterfactual:
    """Return how many sites of the spam clusters have to go until the provider is no longer listed."""
    limit = rules.keep_share
    # (spam - x) / (telling - x) < limit for the first time.
    by_share = math.floor((spam_sites - limit * telling) / (1 - limit)) + 1 if limit < 1 else 1
    by_number = sites - rules.least_sites + 1
    if by_number < by_share:
        return Counterfactual(by_number, "too_few")
    return Counterfactual(max(by_share, 1), "share")
