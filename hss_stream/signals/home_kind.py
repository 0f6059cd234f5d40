"""What a home page is as evidence: a page, a redirect, a near-empty page, or a server's own default page.

Sites whose home page is near-empty, an error or what a server shows before anybody has put a page there are
alike by accident: the false positives of the 2015 paper. They are kept apart. A page that only leads
elsewhere (status, meta refresh, script) is evidence by the domain it leads to.
"""

import re
from html import unescape
from urllib.parse import urljoin

from hss_stream.signals.page_scan import PageScan
from hss_stream.signals.site_sample import DEFAULT, EMPTY, PAGE, REDIRECT

# With fewer tags a page has no structure.
LEAST_TAGS = 8
# A page that leads elsewhere says so at its beginning, and says little else.
_HEAD_BYTES = 16_384
_SCRIPT_TEXT_BYTES, _SCRIPT_TAGS = 400, 64
# A refresh after longer is for readers, not instead of them.
_LONGEST_WAIT = 10

_META = re.compile(rb"<meta\b[^>]{0,2000}>", re.IGNORECASE)
_IS_REFRESH = re.compile(rb"http-equiv\s*=\s*[\"']?\s*refresh", re.IGNORECASE)
_REFRESH_TO = re.compile(
    rb"content\s*=\s*[\"']?\s*(\d{0,6})[.\d]*\s*[;,]\s*(?:url\s*=\s*)?[\"']?\s*([^\"'>\s]+)", re.IGNORECASE
)
_SCRIPT_TO = re.compile(
    rb"\blocation(?:\.href)?\s*=\s*[\"']([^\"'\s]+)[\"']|\blocation\.(?:replace|assign)\(\s*[\"']([^\"'\s]+)[\"']"
)
_DEFAULT_TITLES = re.compile(
    rb"(apache\d? .{0,40}default page|welcome to nginx|welcome to openresty|iis ?\d|iis windows server|"
    rb"(http server|apache|nginx).{0,60} test page|test page for .{0,60}server|it works|index of /|"
    rb"(default|placeholder) (web ?site |web )?page|domain default page|default plesk page|plesk|"
    rb"account suspended|hello,? world$|[45]\d\d( (error|not|forbidden|bad|internal|service).*)?$|"
    rb"error [45]\d\d\b|(page )?not found|forbidden|bad gateway|service (temporarily )?unavailable|"
    rb"internal server error|under construction$|coming soon$)",
    re.IGNORECASE,
)


def home_kind(scan: PageScan, body: bytes, url: str, status: int | None) -> tuple[int, str]:
    """Return the kind of a home page and, for a redirect, the absolute URL it leads to."""
    target = redirect_target(scan, body, url, status)
    if target:
        return REDIRECT, target
    if status is not None and status >= 300:
        return EMPTY, ""
    if _DEFAULT_TITLES.match(scan.title):
        return DEFAULT, ""
    return (EMPTY if len(scan.tags) < LEAST_TAGS else PAGE), ""


def redirect_target(scan: PageScan, body: bytes, url: str, status: int | None) -> str:
    """Return where a page leads at once; empty when it is a page of its own."""
    head = body[:_HEAD_BYTES]
    found = _meta_target(head)
    if not found and len(scan.text) <= _SCRIPT_TEXT_BYTES and len(scan.tags) <= _SCRIPT_TAGS:
        script = _SCRIPT_TO.search(head)
        found = (script[1] or script[2]) if script else b""
    if not found and status is not None and 300 <= status < 400 and scan.links:
        # Servers write the new address into the body of a redirect; its header does not reach us.
        found = scan.links[0]
    if not found:
        return ""
    try:
        return urljoin(url, unescape(found.decode("utf-8", "replace")))
    except ValueError:
        return ""


def _meta_target(head: bytes) -> bytes:
    for meta in _META.finditer(head):
        if _IS_REFRESH.search(meta[0]):
            to = _REFRESH_TO.search(meta[0])
            if to and int(to[1] or b"0") <= _LONGEST_WAIT:
                return to[2]
    return b""
