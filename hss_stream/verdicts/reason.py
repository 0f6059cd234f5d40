"""Reasons, scores and verdicts: why something is called spam, in words and numbers.

A verdict is the sum of the weights of named reasons, and each reason carries the facts it rests on. The
same list goes into the alert, the HTTP answer, the log line and the console.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

VerdictName = Literal["spam", "suspect", "ham", "unknown"]
Facts = dict[str, str | int | float]

STYLE_SPAM = "STYLE_SPAM"
STYLE_HAM = "STYLE_HAM"
MANY_DOMAINS = "MANY_DOMAINS"
SAME_TEXT = "SAME_TEXT"
LINK_FARM = "LINK_FARM"
IMATCH_SPAM = "IMATCH_SPAM"
IMATCH_HAM = "IMATCH_HAM"
FAKE_TEXT = "FAKE_TEXT"
FAKE_HOST = "FAKE_HOST"
FAKE_CLUSTER = "FAKE_CLUSTER"
NS_SPAM = "NS_SPAM"
LINK_SPAM = "LINK_SPAM"
# Of a provider itself.
NS_TEMPLATE = "NS_TEMPLATE"
NS_REDIRECTS = "NS_REDIRECTS"
NS_FAKE_TEXT = "NS_FAKE_TEXT"
NS_LINK_FARM = "NS_LINK_FARM"
NS_LABELLED = "NS_LABELLED"
NS_NATURAL_TEXT = "NS_NATURAL_TEXT"
NS_SHARED_HOSTER = "NS_SHARED_HOSTER"
NS_HAM = "NS_HAM"
ALLOW_LISTED = "ALLOW_LISTED"

REASONS = (
    STYLE_SPAM, STYLE_HAM, MANY_DOMAINS, SAME_TEXT, LINK_FARM, IMATCH_SPAM, IMATCH_HAM, FAKE_TEXT, FAKE_HOST,
    FAKE_CLUSTER, NS_SPAM, LINK_SPAM, ALLOW_LISTED, NS_TEMPLATE, NS_REDIRECTS, NS_FAKE_TEXT, NS_LINK_FARM,
    NS_LABELLED, NS_NATURAL_TEXT, NS_SHARED_HOSTER, NS_HAM,
)  # fmt: skip

# Reasons that clear: only a person's word (a label) or an operator's list gives one.
CLEARING = frozenset({STYLE_HAM, IMATCH_HAM, ALLOW_LISTED, NS_HAM})


@dataclass(frozen=True, slots=True)
class Reason:
    """One piece of evidence: its name, what it adds to the score, and the facts it rests on."""

    name: str
    weight: float
    facts: Facts = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the reason as events show it."""
        return {"name": self.name, "weight": self.weight, "facts": self.facts}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What something is called, with the score and the reasons that decided."""

    verdict: VerdictName
    score: float
    reasons: tuple[Reason, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the three fields that events, answers and logs show."""
        return {
            "verdict": self.verdict,
            "score": self.score,
            "reasons": [reason.to_json() for reason in self.reasons],
        }


def sum_reasons(reasons: Sequence[Reason], suspect_score: float, spam_score: float) -> Verdict:
    """Return the verdict of the reasons: the sum of their weights against two limits.

    Guards against a verdict nobody can follow: there is no other way to a verdict than this sum.
    `ham` needs a clearing reason and a score below `suspect`: silence is `unknown`, never a blessing.
    """
    score = round(sum(reason.weight for reason in reasons), 2)
    ordered = tuple(sorted(reasons, key=lambda reason: (-reason.weight, reason.name)))
    if score >= spam_score:
        return Verdict("spam", score, ordered)
    if score >= suspect_score:
        return Verdict("suspect", score, ordered)
    cleared = any(reason.name in CLEARING for reason in reasons)
    return Verdict("ham" if cleared else "unknown", score, ordered)
