"""Look a message up: its campaign, the style of its HTML part, its text, the domains it links to.

Reads the mail and style spaces and the records of linked domains; writes nothing and keeps nothing of the
message. Mail never counts in the style space.
"""

import asyncio
from dataclasses import dataclass

import numpy as np

from hss_stream.signals.page_scan import PageScan
from hss_stream.sources.mail import Mail, parse_mail
from hss_stream.steps.candidates import SketchedPage
from hss_stream.steps.judge_pages import text_page
from hss_stream.steps.look_up_page import NOWHERE, SubjectVerdict, fingerprint_of, text_evidence
from hss_stream.steps.look_up_space import LookUpSpace, look_in
from hss_stream.steps.look_up_url import LookUpUrl
from hss_stream.steps.read_signals import read_signals
from hss_stream.steps.scan_page import PageToPlace, ScannedPage, domain_of_url, scan_to_place
from hss_stream.verdicts.alert import AlertRules, judge_mail
from hss_stream.verdicts.evidence import MailEvidence
from hss_stream.verdicts.placing import TOO_LITTLE_STYLE

# Domains a message links to that are looked up; a message with more is no better known for them.
MAX_LINK_DOMAINS = 16


@dataclass(frozen=True)
class ReadMail:
    """What a message gives without the store; `document` is its text as the mail space sees it."""

    document: ScannedPage
    markup: ScannedPage | None
    domains: tuple[str, ...]
    fingerprint: str


def read_mail(raw: bytes) -> ReadMail:
    """Return what one pass over a message gives; any bytes are a message."""
    mail = parse_mail(raw)
    markup = None
    if mail.html:
        page = PageToPlace(NOWHERE, "", 0, mail.html, content_type=mail.html_type)
        markup = scan_to_place(page)
    scan = markup.scan if markup is not None else None
    signals = read_signals(mail.shown_text(scan.text if scan else b""))
    sketch = markup.sketched.sketch if markup is not None else bytes(256)
    no_style = SketchedPage(0, 0, 0, sketch, np.zeros(0, np.uint32), excluded=TOO_LITTLE_STYLE)
    whole = ScannedPage(NOWHERE, "", 0, "", b"", no_style, scan, signals)
    fingerprint = fingerprint_of(whole, "mail")
    return ReadMail(text_page(whole), markup, linked_domains(mail, scan), fingerprint)


def linked_domains(mail: Mail, scan: PageScan | None) -> tuple[str, ...]:
    """Return the distinct domains a message links to, in its order, at most 16."""
    found: dict[str, None] = {}
    for link in (*mail.links, *(scan.links if scan else ())):
        if b"://" in link and (domain := domain_of_url(link.decode("utf-8", "replace"))):
            found[domain] = None
            if len(found) == MAX_LINK_DOMAINS:
                break
    return tuple(found)


class LookUpMail:
    """The step; one for a process. `campaigns` is None where the mail space is not kept."""

    def __init__(
        self,
        campaigns: LookUpSpace | None,
        style: LookUpSpace,
        look_up_url: LookUpUrl,
        alert_rules: AlertRules,
    ) -> None:
        self._campaigns = campaigns
        self._style = style
        self._look_up_url = look_up_url
        self._alert_rules = alert_rules

    async def __call__(self, mail: ReadMail) -> SubjectVerdict:
        """Return the verdict on a message that was read."""
        campaign, style, spam_links = await asyncio.gather(
            look_in(self._campaigns, mail.document.sketched),
            look_in(self._style, None if mail.markup is None else mail.markup.sketched),
            self._look_up_url.spam_domains(mail.domains),
        )
        signals = mail.document.signals
        evidence = MailEvidence(
            text_evidence(campaign, signals),
            style.cluster.to_evidence() if style else None,
            style.matching_slots if style else 0,
            None if signals is None else signals.fake_text(),
            spam_links,
            len(mail.domains),
        )
        verdict = judge_mail(evidence, self._alert_rules)
        return SubjectVerdict(verdict, campaign.cluster.name if campaign else None)
