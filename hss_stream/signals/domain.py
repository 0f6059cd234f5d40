"""The registrable domain of a host: what one registers, and so what one owner has.

By the rules of the public suffix list (ICANN part): the longest matching suffix and one label more. Under
an unlisted suffix it is the last two labels; an IP literal is itself.
"""

import re
from dataclasses import dataclass

_ADDRESS = re.compile(r"\d{1,3}(\.\d{1,3}){3}|\[?[0-9a-f:.]*:[0-9a-f:.]*\]?", re.ASCII)


@dataclass(frozen=True)
class SuffixRules:
    """Suffixes in lower-case ASCII (punycode): whole ones, wildcards without their `*.`, exceptions."""

    whole: frozenset[str]
    wildcard: frozenset[str]
    exceptions: frozenset[str]


def to_ascii(host: str) -> str:
    """Return a host in lower case, international labels in punycode, without a last dot."""
    host = host.strip().rstrip(".").lower()
    if host.isascii():
        return host
    labels = re.split("[.\u3002\uff0e\uff61]", host)
    return ".".join(_ascii_label(label) for label in labels)


def _ascii_label(label: str) -> str:
    if label.isascii():
        return label
    return "xn--" + label.encode("punycode", "replace").decode("ascii")


def registrable_domain(host: str, rules: SuffixRules) -> str:
    """Return the registrable domain of a host name or address; a bare suffix is its own."""
    name = to_ascii(host)
    if _ADDRESS.fullmatch(name):
        return name.strip("[]")
    labels = [label for label in name.split(".") if label]
    suffix = _suffix_labels(labels, rules)
    return ".".join(labels[-(suffix + 1) :])


def _suffix_labels(labels: list[str], rules: SuffixRules) -> int:
    """Return how many labels the longest matching suffix has; an unlisted one has one."""
    for start in range(len(labels)):
        rest = ".".join(labels[start:])
        if rest in rules.exceptions:
            return len(labels) - start - 1
        if rest in rules.whole or ".".join(labels[start + 1 :]) in rules.wildcard:
            return len(labels) - start
    return 1
