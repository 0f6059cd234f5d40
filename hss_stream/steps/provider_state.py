"""The state of one provider between two records: what is stored of it, as a value.

Facts are small and change with every record; the sample is large and seldom does, so the store keeps them
apart (`store/provider_store.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import orjson

from hss_stream.signals.site_sample import FAKE, FARM, NATURAL, PAGE, REDIRECT, SiteSample
from hss_stream.steps.judge_sites import JudgedSites, judge_sites
from hss_stream.store.provider_records import ProviderRecord
from hss_stream.store.provider_store import StoredProvider
from hss_stream.verdicts.evidence import Label
from hss_stream.verdicts.label import LabelState
from hss_stream.verdicts.nameserver import OtherEvidence, ProviderState

FACTS_FORMAT = 1
# Sources whose fences are remembered; those that were heard of longest ago give way.
MAX_SOURCES = 256
MAX_NAMESERVERS = 16
# Clustering a sample costs up to 4,096 alignments: it is done when this part of the sites has changed.
JUDGED_PART = 16
# Or when something has changed and so many days have passed: sites grow old meanwhile.
JUDGED_DAYS = 7
LEAST_SITES = 48
# Text says something about a provider when it was judged on at least this share of its pages.
LEAST_TEXTS = 0.5
STATE_NAMES: tuple[ProviderState, ...] = ("too_few", "watch", "spam", "clean")
LABEL_NUMBERS: dict[Label, int] = {"none": 0, "spam": 1, "ham": 2}


@dataclass(frozen=True)
class KnownState:
    """Everything known of a provider."""

    name: str
    sample: SiteSample = field(default_factory=SiteSample)
    state: ProviderState = "too_few"
    labels: LabelState = field(default_factory=LabelState)
    fences: Mapping[int, int] = field(default_factory=dict)
    nameservers: tuple[str, ...] = ()
    changes: int = 0  # of the sample, since it was judged
    at_ms: int = 0  # of the latest record
    judged_ms: int = 0  # of the record at which it was judged
    revision: int = 0
    version: int = 0
    event: bytes = b""

    @classmethod
    def of_stored(cls, stored: StoredProvider) -> "KnownState":
        """Return what the store holds."""
        record = stored.record
        sample = SiteSample.from_bytes(stored.sample) if stored.sample else SiteSample()
        state, revision = STATE_NAMES[record.state], record.revision
        known = cls(record.name, sample, state, revision=revision, version=record.version, event=record.event)
        if not record.facts:
            return known
        facts = orjson.loads(record.facts)
        editor, spam, ham = facts["labels"]
        return replace(
            known,
            labels=LabelState(editor, frozenset(spam), frozenset(ham)),
            fences={int(source): offset for source, offset in facts["fences"].items()},
            nameservers=tuple(facts["nameservers"]),
            changes=facts["changes"],
            at_ms=facts["at_ms"],
            judged_ms=facts["judged_ms"],
        )

    def to_record(self, quorum: int) -> ProviderRecord:
        """Return the small part as it is stored."""
        labels = self.labels
        facts = {
            "format": FACTS_FORMAT,
            "fences": {str(source): offset for source, offset in self.fences.items()},
            "nameservers": self.nameservers,
            "changes": self.changes,
            "at_ms": self.at_ms,
            "judged_ms": self.judged_ms,
            "sites": self.sample.estimate(self.day),
            "labels": [labels.editor, sorted(labels.spam_clients), sorted(labels.ham_clients)],
        }
        return ProviderRecord(
            self.name, STATE_NAMES.index(self.state), LABEL_NUMBERS[labels.label(quorum)], self.version,
            self.revision, 0, orjson.dumps(facts), self.event,
        )  # fmt: skip

    @property
    def day(self) -> float:
        """Return the day of the latest record."""
        return self.at_ms / 86_400_000

    def with_fence(self, source: int, offset: int) -> "KnownState":
        """Return the state with a record of a source counted."""
        fences = {one: high for one, high in self.fences.items() if one != source}
        if len(fences) >= MAX_SOURCES:
            del fences[next(iter(fences))]
        return replace(self, fences={**fences, source: offset})

    def is_due(self) -> bool:
        """Tell whether enough has changed to judge again."""
        sites = len(self.sample.sites)
        if not self.changes or (sites < LEAST_SITES and self.state == "too_few"):
            return False
        is_late = self.at_ms - self.judged_ms >= JUDGED_DAYS * 86_400_000
        return sites < LEAST_SITES or is_late or self.changes * JUDGED_PART >= sites

    def judged(self, quorum: int) -> tuple[JudgedSites, OtherEvidence]:
        """Return the verdict on the sample as it is, and what other signals said."""
        homes = [home for _, home in self.sample.ordered()]
        label = self.labels.label(quorum)
        other = other_evidence(self.sample, label)
        pages = [home for home in homes if home.kind == PAGE]
        found = judge_sites(
            [home.structure for home in pages],
            flags=[home.flags for home in pages],
            previous=self.state,
            other=other,
            redirects=[home.target for home in homes if home.kind == REDIRECT],
            hosted=self.sample.estimate(self.day),
        )
        return found, other


def other_evidence(sample: SiteSample, label: Label) -> OtherEvidence:
    """Return what text and links say about the pages of a sample."""
    flags = [site.home.flags for site in sample.sites.values() if site.home.kind == PAGE]
    natural, fake, farm = (sum(1 for one in flags if one & bit) for bit in (NATURAL, FAKE, FARM))
    texts = natural + fake
    known = bool(texts) and texts >= LEAST_TEXTS * len(flags)
    return OtherEvidence(
        None if label == "none" else label,
        natural / texts if known else None,
        fake / texts if known else None,
        farm / len(flags) if flags else None,
    )
