"""Look a page up: the verdict it would get in the stream, without counting it.

Reads the style and text spaces and the domain's record; writes nothing and keeps nothing of the page.
"""

import asyncio
from dataclasses import dataclass

from hss_stream.signals.fingerprint import Fingerprint, FingerprintKind
from hss_stream.steps.events import Origin
from hss_stream.steps.judge_pages import text_page
from hss_stream.steps.look_up_space import LookUpSpace, SpaceMatch, look_in
from hss_stream.steps.page_verdict import AllowLists
from hss_stream.steps.read_signals import TextSignals, read_signals
from hss_stream.steps.scan_page import PageToPlace, ScannedPage, scan_to_place
from hss_stream.verdicts.alert import AlertRules, judge_page
from hss_stream.verdicts.evidence import Host, PageEvidence, TextCluster
from hss_stream.verdicts.fake_sums import FakeSums
from hss_stream.verdicts.reason import Verdict
from hss_stream.verdicts.text_match import matching_coordinates

UNKNOWN = Verdict("unknown", 0.0, ())
# A look-up has no origin; what needs one is never stored or sent.
NOWHERE = Origin("", "", 0, 0)


@dataclass(frozen=True)
class SubjectVerdict:
    """What is said of a message, page or URL."""

    verdict: Verdict
    cluster: str | None = None


@dataclass(frozen=True)
class ReadPage:
    """What a page gives without the store: as the style space sees it, and as the text space does."""

    page: ScannedPage
    document: ScannedPage
    fingerprint: str


def read_page(body: bytes, content_type: str | None, url: str) -> ReadPage:
    """Return what one pass over a page gives; any bytes are a page."""
    page = scan_to_place(PageToPlace(NOWHERE, url, 0, body, content_type=content_type), read_signals)
    return ReadPage(page, text_page(page), fingerprint_of(page, "page"))


def fingerprint_of(page: ScannedPage, kind: FingerprintKind) -> str:
    """Return the fingerprint of a document, out of signals that were read already."""
    signals = page.signals or TextSignals()
    lexicon = int(signals.imatch["lexicon"], 16) if signals.imatch else 0
    signatures = signals.signatures() or (0,) * 11
    sketch = page.sketched.sketch if page.scan is not None else bytes(256)
    return Fingerprint(kind, lexicon, signatures, sketch).to_hex()


def text_evidence(
    match: SpaceMatch | None, signals: TextSignals | None, lists: AllowLists
) -> TextCluster | None:
    """Return a text cluster or campaign as verdicts see it."""
    if match is None:
        return None
    cluster = match.cluster
    return TextCluster(
        cluster.name,
        cluster.record.pages,
        cluster.record.domains,
        cluster.label,
        matching_coordinates(match.matching_slots),
        0 if signals is None else signals.coordinates(),
        cluster.prototype,
        cluster.name in lists.clusters,
    )


class LookUpPage:
    """The step; one for a process. `text` is None where that space is not kept."""

    def __init__(
        self,
        style: LookUpSpace,
        text: LookUpSpace | None,
        alert_rules: AlertRules,
        lists: AllowLists | None = None,
    ) -> None:
        self._style = style
        self._text = text
        self._alert_rules = alert_rules
        self._lists = lists or AllowLists()

    async def __call__(self, read: ReadPage, spam_provider: str | None = None) -> SubjectVerdict:
        """Return the verdict on a page that was read; `spam_provider` is one of its own that is listed."""
        page = read.page
        style, text, host = await asyncio.gather(
            self._style(page.sketched), look_in(self._text, read.document.sketched), self._host(page)
        )
        evidence = PageEvidence(
            host,
            style.cluster.to_evidence(self._lists) if style else None,
            style.matching_slots if style else 0,
            text_evidence(text, page.signals, self._lists),
            None if page.signals is None else page.signals.fake_text(),
            spam_provider,
        )
        cluster = style.cluster.name if style else text.cluster.name if text else None
        return SubjectVerdict(judge_page(evidence, self._alert_rules), cluster)

    async def _host(self, page: ScannedPage) -> Host:
        if not page.domain:
            return Host("")
        record = (await self._style.store.read_domains([page.sketched.domain]))[0]
        sums = FakeSums() if record is None else FakeSums(*record.sums[:3])
        return Host(page.domain, sums, page.domain in self._lists.domains)
