"""Look a message up: its campaign, the style of its HTML part, its text, the domains it links to.

Reads the mail and style spaces and the records of linked domains; writes nothing and keeps nothing of the
message. Mail never counts in the style space.
"""

import asyncio
import re
import threading
from dataclasses import dataclass

import numpy as np

from hss_stream.signals.page_scan import PageScan, PageScanner
from hss_stream.signals.probes import probe_words
from hss_stream.sources.mail import Mail, parse_mail
from hss_stream.steps.candidates import SketchedPage
from hss_stream.steps.judge_pages import text_page
from hss_stream.steps.look_up_page import NOWHERE, SubjectVerdict, fingerprint_of, text_evidence
from hss_stream.steps.look_up_space import LookUpSpace, look_in
from hss_stream.steps.look_up_url import LookUpUrl
from hss_stream.steps.page_verdict import AllowLists
from hss_stream.steps.read_signals import read_signals
from hss_stream.steps.scan_page import ScannedPage, domain_of_url
from hss_stream.verdicts.alert import AlertRules, judge_mail
from hss_stream.verdicts.evidence import MailEvidence
from hss_stream.verdicts.placing import TOO_LITTLE_STYLE

# Domains a message links to that are looked up; a message with more is no better known for them.
MAX_LINK_DOMAINS = 16
MAX_LINK_HOSTS = 64
_LINK_HOST = re.compile(rb"https?://(?:[^/?#\\\s]*@)?([^/?#\\\s:@]+)", re.IGNORECASE)
_NO_MARKUP = SketchedPage(0, 0, 0, bytes(256), np.zeros(20, np.uint32), excluded=TOO_LITTLE_STYLE)


@dataclass(frozen=True)
class ReadMail:
    """What a message gives without the store; `document` is its text as the mail space sees it."""

    document: ScannedPage
    markup: SketchedPage
    domains: tuple[str, ...]
    fingerprint: str


class _Scratch(threading.local):
    def __init__(self) -> None:
        self.scanner = PageScanner()


_scratch = _Scratch()


def read_mail(raw: bytes) -> ReadMail:
    """Return what one pass over a message gives; any bytes are a message."""
    mail = parse_mail(raw)
    scan, markup = None, _NO_MARKUP
    if mail.html:
        scanner = _scratch.scanner
        scanner.begin(mail.html_type)
        scanner.update(mail.html)
        scan = scanner.finish()
        sketch = scan.style.to_bytes()
        excluded = TOO_LITTLE_STYLE if scan.style.is_degenerate else None
        markup = SketchedPage(0, 0, 0, sketch, probe_words(scan.style, sketch), excluded=excluded)
    signals = read_signals(mail.shown_text(scan.text if scan else b""))
    whole = ScannedPage(NOWHERE, "", 0, "", b"", markup, scan, signals)
    return ReadMail(text_page(whole), markup, linked_domains(mail, scan), fingerprint_of(whole, "mail"))


def linked_domains(mail: Mail, scan: PageScan | None) -> tuple[str, ...]:
    """Return the distinct domains a message links to, in its order, at most 16."""
    hosts: dict[bytes, None] = {}
    for link in (*mail.links, *(scan.links if scan else ())):
        if match := _LINK_HOST.match(link):
            hosts[match[1].lower()] = None
            if len(hosts) == MAX_LINK_HOSTS:
                break
    found = dict.fromkeys(domain_of_url(f"//{host.decode('utf-8', 'replace')}") for host in hosts)
    found.pop("", None)
    return tuple(found)[:MAX_LINK_DOMAINS]


class LookUpMail:
    """The step; one for a process. `campaigns` is None where the mail space is not kept."""

    def __init__(
        self,
        campaigns: LookUpSpace | None,
        style: LookUpSpace,
        look_up_url: LookUpUrl,
        alert_rules: AlertRules,
        lists: AllowLists | None = None,
    ) -> None:
        self._campaigns = campaigns
        self._style = style
        self._look_up_url = look_up_url
        self._alert_rules = alert_rules
        self._lists = lists or AllowLists()

    async def __call__(self, mail: ReadMail) -> SubjectVerdict:
        """Return the verdict on a message that was read."""
        if mail.domains or mail.markup.excluded is None:
            campaign, style, spam_links = await asyncio.gather(
                look_in(self._campaigns, mail.document.sketched),
                self._style(mail.markup),
                self._look_up_url.spam_domains(mail.domains),
            )
        else:
            # Half of all messages are text without links: no need for three tasks.
            campaign = await look_in(self._campaigns, mail.document.sketched)
            style, spam_links = None, ()
        signals = mail.document.signals
        evidence = MailEvidence(
            text_evidence(campaign, signals, self._lists),
            style.cluster.to_evidence(self._lists) if style else None,
            style.matching_slots if style else 0,
            None if signals is None else signals.fake_text(),
            spam_links,
            len(mail.domains),
        )
        verdict = judge_mail(evidence, self._alert_rules)
        return SubjectVerdict(verdict, campaign.cluster.name if campaign else None)
