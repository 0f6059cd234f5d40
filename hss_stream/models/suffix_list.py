"""The public suffix list as it ships with tldextract: read from the package, never fetched.

Only the ICANN part: private suffixes (blogspot.com, github.io) are one owner's names, and spam on them is
that owner's.
"""

from functools import cache
from importlib.resources import files

from hss_stream.errors import ModelError
from hss_stream.signals.domain import SuffixRules, to_ascii

_SNAPSHOT = ".tld_set_snapshot"
_BEGIN, _END = "===BEGIN ICANN DOMAINS===", "===END ICANN DOMAINS==="


@cache
def load_suffix_rules() -> SuffixRules:
    """Return the rules of the bundled list; the second call costs nothing."""
    try:
        text = files("tldextract").joinpath(_SNAPSHOT).read_text(encoding="utf-8")
    except OSError as error:
        raise ModelError("reading the public suffix list of tldextract: install it again") from error
    if _BEGIN not in text or _END not in text:
        raise ModelError("reading the public suffix list of tldextract: its ICANN part is missing")
    return parse_suffix_rules(text.split(_BEGIN, 1)[1].split(_END, 1)[0])


def parse_suffix_rules(text: str) -> SuffixRules:
    """Return the rules of a list in the format of publicsuffix.org."""
    lines = [line.split()[0] for line in text.splitlines() if line.strip() and not line.startswith("//")]
    return SuffixRules(
        frozenset(to_ascii(line) for line in lines if line[0] not in "*!"),
        frozenset(to_ascii(line[2:]) for line in lines if line.startswith("*.")),
        frozenset(to_ascii(line[1:]) for line in lines if line.startswith("!")),
    )
