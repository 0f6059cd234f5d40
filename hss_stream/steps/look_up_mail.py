"""Look a message up: the style of its HTML part and the domains it links to, without keeping anything.

Reads the style index, cluster and domain records; writes nothing. Mail never counts in the style space.
"""

import threading
from dataclasses import dataclass

from hss_stream.signals.page_scan import PageScan, PageScanner
from hss_stream.sources.mail import Mail, parse_mail
from hss_stream.steps.look_up_page import SubjectVerdict
from hss_stream.steps.look_up_style import LookUpStyle
from hss_stream.verdicts.alert import AlertRules, judge_mail
from hss_stream.verdicts.evidence import MailEvidence


@dataclass(frozen=True)
class ReadMail:
    """What a message gives without the store; `scan` is that of its HTML part."""

    mail: Mail
    scan: PageScan | None
    fingerprint: str | None


class _Scratch(threading.local):
    def __init__(self) -> None:
        self.scanner = PageScanner()


_scratch = _Scratch()


def read_mail(raw: bytes) -> ReadMail:
    """Return what one pass over a message gives; any bytes are a message."""
    mail = parse_mail(raw)
    if not mail.html:
        return ReadMail(mail, None, None)
    scanner = _scratch.scanner
    scanner.begin(mail.html_type)
    scanner.update(mail.html)
    return ReadMail(mail, scanner.finish(), None)


class LookUpMail:
    """The step; one for a process."""

    def __init__(self, look_up_style: LookUpStyle, alert_rules: AlertRules) -> None:
        self._look_up_style = look_up_style
        self._alert_rules = alert_rules

    async def __call__(self, mail: ReadMail) -> SubjectVerdict:
        """Return the verdict on a message that was read."""
        match = await self._look_up_style(mail.scan) if mail.scan is not None else None
        evidence = MailEvidence(
            style=match.cluster.to_evidence() if match else None,
            matching_slots=match.matching_slots if match else 0,
        )
        return SubjectVerdict(judge_mail(evidence, self._alert_rules))
