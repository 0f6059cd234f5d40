"""Home pages of made-up providers: parked ones of one template, different ones, and pages that lead away."""

import random

from hss_stream.steps.events import Origin
from hss_stream.steps.scan_page import PageToPlace

TAGS = (
    "div",
    "p",
    "span",
    "ul",
    "li",
    "table",
    "tr",
    "td",
    "h1",
    "h2",
    "section",
    "article",
    "form",
    "b",
    "i",
)
DAY_MS = 86_400_000
NOW_MS = 1_700_000_000_000


def parked(number):
    """Return a page of a parking template: the same blocks, a few more or fewer."""
    rows = "".join(f'<li><a href="/{row}">offer {row}</a></li>' for row in range(12 + number % 3))
    return f"<html><body><div><h1>site {number}</h1><ul>{rows}</ul></div><p>buy it</p></body></html>".encode()


def different(number):
    """Return a page that has nothing in common with others."""
    chance = random.Random(number)
    tags = [chance.choice(TAGS) for _ in range(chance.randint(40, 160))]
    return "".join(f"<{tag}>x</{tag}>" if chance.random() < 0.6 else f"<{tag}>" for tag in tags).encode()


def leading(number, target="http://park.example/"):
    """Return a page that leads elsewhere at once."""
    return f'<meta http-equiv="refresh" content="0;url={target}?site={number}">'.encode()


def home_page(offset, domain, body, nameservers, *, at_ms=NOW_MS, partition=0, status=None, path="/"):
    """Return a home page as it arrives."""
    origin = Origin("hss", "hss.pages", partition, offset)
    return PageToPlace(
        origin, f"http://{domain}{path}", at_ms, body, status=status, nameservers=tuple(nameservers)
    )  # fmt: skip
