"""Tables 1 to 4 of the 2015 paper on any providers: distance calls, provider level, site level.

Truth about a site is given; a provider is spam where most of its sites are, as in the paper (simulated
providers know better: a mixture is not). Providers with too few sites are told apart and left out of F, and
`watch` counts as not spam.
"""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from hss_stream.lab.pair_scores import f_measure
from hss_stream.signals.site_sample import Home, SiteSample
from hss_stream.signals.tag_structure import TagStructure
from hss_stream.steps.judge_sites import JudgedSites, judge_sites
from hss_stream.verdicts.nameserver import DEFAULT, PAPER, ProviderRules

Setting = Literal["paper", "default"]
RULES: dict[str, ProviderRules] = {"paper": PAPER, "default": DEFAULT}
# What the paper clustered in 18:16:20 hours on 12 cores.
PAPER_CALLS_PER_SECOND = 648


@dataclass(frozen=True, eq=False)
class KnownProvider:
    """A provider, its sites' home pages, and the truth about both."""

    name: str
    sites: Sequence[TagStructure]
    spam: Sequence[bool]
    is_spam: bool
    case: str = ""


@dataclass
class Confusion:
    """Counts of right and wrong answers; `spam` is the class that is looked for."""

    right_spam: int = 0
    wrong_spam: int = 0
    missed_spam: int = 0
    right_clean: int = 0

    def add(self, *, truth: bool, answer: bool, count: int = 1) -> None:
        """Count answers."""
        name = (
            ("right_spam" if truth else "wrong_spam")
            if answer
            else ("missed_spam" if truth else "right_clean")
        )
        setattr(self, name, getattr(self, name) + count)

    @property
    def total(self) -> int:
        """Return how many answers there are."""
        return self.right_spam + self.wrong_spam + self.missed_spam + self.right_clean

    def to_row(self) -> dict[str, Any]:
        """Return precision, recall and F of the spam class, accuracy, and the paper's F over both classes."""
        precision, recall = _scores(self.right_spam, self.wrong_spam, self.missed_spam)
        clean = f_measure(*_scores(self.right_clean, self.missed_spam, self.wrong_spam))
        spam = f_measure(precision, recall)
        share = (self.right_spam + self.missed_spam) / self.total if self.total else 0.0
        return {
            "precision": precision,
            "recall": recall,
            "f": spam,
            "auc": None,
            "accuracy": (self.right_spam + self.right_clean) / self.total if self.total else None,
            "f_both_classes": share * (spam or 0.0) + (1 - share) * (clean or 0.0) if self.total else None,
        }


def _scores(right: int, wrong: int, missed: int) -> tuple[float | None, float | None]:
    """Return precision and recall of a class; None where there is nothing to divide by."""
    return (
        right / (right + wrong) if right + wrong else None,
        right / (right + missed) if right + missed else None,
    )


@dataclass
class Tally:
    """Everything the four tables need, summed over the providers."""

    providers: Confusion = field(default_factory=Confusion)
    sites: Confusion = field(default_factory=Confusion)
    calls: dict[bool, Counter[str]] = field(default_factory=lambda: {True: Counter(), False: Counter()})
    seconds: dict[bool, float] = field(default_factory=lambda: {True: 0.0, False: 0.0})
    too_few: int = 0
    listed: Counter[str] = field(default_factory=Counter)


def evaluate_providers(providers: Iterable[KnownProvider], setting: Setting) -> Tally:
    """Judge every provider in one batch and count right and wrong answers."""
    tally = Tally()
    for provider in providers:
        start = time.process_time()
        judged = judge_sites(provider.sites, rules=RULES[setting])
        tally.seconds[provider.is_spam] += time.process_time() - start
        tally.calls[provider.is_spam] += judged.found.calls
        _count_answers(tally, provider, judged)
    return tally


def _count_answers(tally: Tally, provider: KnownProvider, judged: JudgedSites) -> None:
    """Count the answer about a provider and those about its sites."""
    if judged.verdict.state == "too_few":
        tally.too_few += 1
        return
    is_listed = judged.verdict.state == "spam"
    tally.providers.add(truth=provider.is_spam, answer=is_listed)
    tally.listed[provider.case] += is_listed
    for truth in (True, False):
        answers = judged.flagged[np.array(provider.spam) == truth]
        tally.sites.add(truth=truth, answer=True, count=int(np.count_nonzero(answers)))
        tally.sites.add(truth=truth, answer=False, count=int(np.count_nonzero(~answers)))


def table_rows(tally: Tally) -> list[dict[str, Any]]:
    """Return the rows of tables 1 to 4."""
    rows: list[dict[str, Any]] = []
    for name, truths in (("not spam", [False]), ("spam", [True]), ("total", [False, True])):
        calls: Counter[str] = sum((tally.calls[truth] for truth in truths), Counter())
        seconds = sum(tally.seconds[truth] for truth in truths)
        total = max(calls.total(), 1)
        rows.append(
            {
                "case": f"table 1: calls, {name}",
                **dict.fromkeys(("precision", "recall", "f", "auc")),
                **{f"share_{last.lower()}": calls[last] / total for last in ("R", "F", "D")},
                "calls": calls.total(),
                "seconds": round(seconds, 3),
                "calls_per_second": round(calls.total() / seconds) if seconds else None,
                "times_the_paper": calls.total() / seconds / PAPER_CALLS_PER_SECOND if seconds else None,
            }
        )
    listed = {f"listed_{case}": count for case, count in sorted(tally.listed.items()) if case}
    counts = {"providers": tally.providers.total, "too_few": tally.too_few, **listed}
    rows.append({"case": "table 2: providers", **tally.providers.to_row(), **counts})
    total_sites = max(tally.sites.total, 1)
    confusion = {
        f"{name}_percent": 100 * getattr(tally.sites, name) / total_sites
        for name in ("right_clean", "wrong_spam", "missed_spam", "right_spam")
    }
    rows.append(
        {
            "case": "table 3: sites, confusion",
            **dict.fromkeys(("precision", "recall", "f", "auc")),
            **confusion,
        }
    )
    rows.append({"case": "table 4: sites", **tally.sites.to_row(), "sites": tally.sites.total})
    return rows


def judge_online(provider: KnownProvider, order: Sequence[int]) -> str:
    """Return the final state of a provider whose sites arrive one by one in this order."""
    sample = SiteSample()
    for place in order:
        sample = sample.with_site(f"site-{place}.{provider.name}", 0.0, Home(provider.sites[place]))
    return judge_sites([home.structure for _, home in sample.ordered()]).verdict.state


def measure_agreement(providers: Sequence[KnownProvider], *, shuffles: int, seed: int) -> dict[str, Any]:
    """Return how often the stream ends with the batch's answer (listed or not) over shuffled arrivals."""
    chance = np.random.default_rng(seed)
    agreeing = total = same_state = 0
    for provider in providers:
        batch = judge_sites(provider.sites).verdict.state
        for _ in range(shuffles):
            online = judge_online(provider, chance.permutation(len(provider.sites)).tolist())
            agreeing += (online == "spam") == (batch == "spam")
            same_state += online == batch
            total += 1
    return {
        "case": "online against batch",
        **dict.fromkeys(("precision", "recall", "f", "auc")),
        "agreement": agreeing / total if total else None,
        "same_state": same_state / total if total else None,
        "providers": len(providers),
        "shuffles": shuffles,
    }
