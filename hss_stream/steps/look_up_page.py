"""Look a page up: the verdict it would get in the stream, without counting it.

Reads the style index, cluster and domain records; writes nothing and keeps nothing of the page.
"""

import threading
from dataclasses import dataclass

from hss_stream.signals.page_scan import PageScan, PageScanner
from hss_stream.steps.look_up_style import LookUpStyle
from hss_stream.steps.scan_page import domain_of_url
from hss_stream.verdicts.alert import AlertRules, judge_page
from hss_stream.verdicts.evidence import Host, PageEvidence
from hss_stream.verdicts.reason import Verdict

UNKNOWN = Verdict("unknown", 0.0, ())


@dataclass(frozen=True)
class ReadPage:
    """What a page gives without the store."""

    url: str
    domain: str
    scan: PageScan
    fingerprint: str | None


@dataclass(frozen=True)
class SubjectVerdict:
    """What is said of a message, page or URL."""

    verdict: Verdict
    cluster: str | None = None


class _Scratch(threading.local):
    def __init__(self) -> None:
        self.scanner = PageScanner()


_scratch = _Scratch()


def read_page(body: bytes, content_type: str | None, url: str) -> ReadPage:
    """Return what one pass over a page gives; any bytes are a page."""
    scanner = _scratch.scanner
    scanner.begin(content_type)
    scanner.update(body)
    return ReadPage(url, domain_of_url(url), scanner.finish(), None)


class LookUpPage:
    """The step; one for a process."""

    def __init__(self, look_up_style: LookUpStyle, alert_rules: AlertRules) -> None:
        self._look_up_style = look_up_style
        self._alert_rules = alert_rules

    async def __call__(self, page: ReadPage) -> SubjectVerdict:
        """Return the verdict on a page that was read."""
        match = await self._look_up_style(page.scan)
        evidence = PageEvidence(
            Host(page.domain),
            match.cluster.to_evidence() if match else None,
            match.matching_slots if match else 0,
        )
        return SubjectVerdict(judge_page(evidence, self._alert_rules), match.cluster.name if match else None)
