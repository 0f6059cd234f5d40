"""What is known when a verdict is due: values gathered by steps, judged by `alert.py`.

A field that was not computed is None: absence of evidence adds nothing to any score.
"""

from dataclasses import dataclass, field
from typing import Literal

from hss_stream.verdicts.fake_sums import FakeSums

Label = Literal["none", "spam", "ham"]


@dataclass(frozen=True, slots=True)
class StyleCluster:
    """A style cluster just after the page (or the change) in question was counted."""

    cluster: str
    pages: int
    domains: int
    mean_similarity: float
    kind: str = "unsettled"  # its class
    label: Label = "none"
    inward_links: int = 0
    known_links: int = 0
    alike_parts: int = 0
    all_parts: int = 0
    fake: FakeSums = field(default_factory=FakeSums)
    prototype: str = ""
    allow_listed: bool = False

    @property
    def inward_share(self) -> float:
        """Return the share of out-links to known domains that lead to domains of the same cluster, in [0, 1].

        Domains nobody has fetched yet say nothing: counting them would hide a farm until most of it is known.
        """
        return self.inward_links / self.known_links if self.known_links else 0.0

    @property
    def alike_share(self) -> float:
        """Return how much of their text the pages share, in [0, 1]."""
        return self.alike_parts / self.all_parts if self.all_parts else 0.0


@dataclass(frozen=True, slots=True)
class TextCluster:
    """A cluster of pages or messages with the same text; `matching` coordinates of `of` led there."""

    cluster: str
    pages: int
    domains: int
    label: Label = "none"
    matching: int = 0
    of: int = 0
    prototype: str = ""
    allow_listed: bool = False


@dataclass(frozen=True, slots=True)
class FakeText:
    """What the language model says of one text."""

    verdict: Literal["natural", "fake", "too_short", "unknown_language"]
    tokens: int
    fakeness: float
    worst_spans: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Host:
    """What is known of a domain: sums over all its pages, and whether the operator allow-listed it."""

    domain: str
    fake: FakeSums = field(default_factory=FakeSums)
    allow_listed: bool = False


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """Everything known of one page."""

    host: Host
    style: StyleCluster | None = None
    matching_slots: int = 0
    text: TextCluster | None = None
    fake: FakeText | None = None
    spam_provider: str | None = None


@dataclass(frozen=True, slots=True)
class MailEvidence:
    """Everything known of one message; `spam_links` are linked domains judged spam."""

    campaign: TextCluster | None = None
    style: StyleCluster | None = None
    matching_slots: int = 0
    fake: FakeText | None = None
    spam_links: tuple[str, ...] = ()
    links: int = 0
