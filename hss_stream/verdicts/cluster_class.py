"""What kind of cluster it is: the classes of section 4.2 of the HSS paper, on counters alone.

| class | pages share | told by |
| --- | --- | --- |
| `mirror` | layout and text, under several domains | texts alike, style nearly equal |
| `copy_paste` | a text (licence, warning, frame set) in other layouts, or one domain | texts alike |
| `link_farm` | layout, and link to each other's domains | inward links |
| `template` | layout only | none of the others |
| `unsettled` | | too few pages to say |

All comparisons are of whole numbers, because the store repeats this rule inside its atomic act
(`store/scripts/common.lua`) and both must agree to the last bit. The limits were chosen on the half
`tune` of the generated crawl and are reported on the other (docs/algorithms/clusters.md).
"""

from dataclasses import astuple, dataclass

UNSETTLED, TEMPLATE, LINK_FARM, MIRROR, COPY_PASTE = range(5)
CLASS_NAMES = ("unsettled", "template", "link_farm", "mirror", "copy_paste")

SLOTS = 128

# Places of the sums that a cluster's record adds up page by page; the last four are for verdicts.
INWARD_LINKS, ALL_LINKS, ALIKE_PARTS, ALL_PARTS, KNOWN_LINKS, JUDGED_PAGES, TOKENS, FAKE_EVIDENCE = range(8)
CLUSTER_SUMS = 8


@dataclass(frozen=True)
class ClassLimits:
    """Where one class ends; shares in percent."""

    pages: int = 10
    farm_domains: int = 3
    farm_percent: int = 35
    alike_percent: int = 30
    mirror_domains: int = 2
    mirror_percent: int = 60

    def to_numbers(self) -> tuple[int, ...]:
        """Return the limits in the order the store's script reads them."""
        return astuple(self)


@dataclass(frozen=True)
class ClusterCounts:
    """What a cluster's record has added up."""

    pages: int
    domains: int
    similarity_sum: int
    sums: tuple[int, ...]


def classify(counts: ClusterCounts, limits: ClassLimits) -> int:
    """Return the class of a cluster with these counts."""
    sums = counts.sums
    if counts.pages < limits.pages:
        return UNSETTLED
    if (
        counts.domains >= limits.farm_domains
        and sums[ALL_LINKS] > 0
        and sums[INWARD_LINKS] * 100 >= limits.farm_percent * sums[ALL_LINKS]
    ):
        return LINK_FARM
    if sums[ALL_PARTS] > 0 and sums[ALIKE_PARTS] * 100 >= limits.alike_percent * sums[ALL_PARTS]:
        alike_in_style = counts.similarity_sum * 100 >= limits.mirror_percent * SLOTS * counts.pages
        return MIRROR if alike_in_style and counts.domains >= limits.mirror_domains else COPY_PASTE
    return TEMPLATE


def is_class_due(pages: int) -> bool:
    """Tell whether the class is worked out again at this number of pages.

    At every page up to eight, then about four times a doubling: a cluster that sits on a limit
    would otherwise send an event for every page.
    """
    return pages % max(1, 1 << (pages.bit_length() - 3) if pages >= 8 else 1) == 0


def mean_similarity(similarity_sum: int, pages: int) -> float:
    """Return the mean share of slots by which the pages matched, in [0, 1]; the first page counts 1."""
    return similarity_sum / (SLOTS * pages) if pages else 0.0


def rank(similarity: float, domains: int) -> float:
    """Return what table 1 of the paper sorts by: mean similarity x number of domains."""
    return similarity * domains
