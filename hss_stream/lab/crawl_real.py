"""Real pages mixed into a generated crawl, where a folder of them is at hand.

The folder is laid out as `EVALUATION_DATA`: `pages-doorway/` gives spam, `pages-web/` and
`pages-debian-docs/` give negatives. Pages of a half are those whose path hashes to it, so that a page
that tuned a threshold is never reported on. Domains of doorways and manuals are simulated: where each page
gets a domain of its own, links between pages must lead from domain to domain too, so the same share of the
inner links of both is led to the domains of other pages.
"""

import json
import random
import re
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from hss_stream.errors import SourceError
from hss_stream.lab.crawl_page import CrawlPage, Plot, provider_servers
from hss_stream.lab.crawl_prose import Half

# Share of inner links that lead to another domain, the same for spam and for manuals.
REWRITTEN = 0.5
_INNER_LINK = re.compile(rb'href="(?!https?:|//|#|mailto:|javascript:)([^"#?]+)', re.IGNORECASE)

FOLDERS = {"real_doorway": "pages-doorway/pages", "real_manual": "pages-debian-docs", "real_web": "pages-web"}


def _half_of(path: str) -> Half:
    """Return the half a file belongs to, by its path."""
    return "report" if zlib.crc32(path.encode()) % 2 else "tune"


@lru_cache(maxsize=16)
def real_files(folder: Path, kind: str, half: Half) -> tuple[Path, ...]:
    """Return the HTML files of a kind and half, sorted."""
    root = folder / FOLDERS[kind]
    if not root.is_dir():
        raise SourceError(f"mixing real pages in: {root} is no folder; unpack the evaluation data there")
    return tuple(
        path for path in sorted(root.rglob("*.html")) if _half_of(str(path.relative_to(root))) == half
    )


@lru_cache(maxsize=4)
def _web_urls(folder: Path) -> dict[str, str]:
    """Return the addresses of the web pages by file."""
    labels = folder / FOLDERS["real_web"] / "labels.jsonl"
    lines = labels.read_text().splitlines() if labels.exists() else []
    return {row["file"]: row["url"] for row in map(json.loads, lines) if row.get("url")}


def real_page(plot: Plot, index: int, folder: Path, kind: str) -> CrawlPage:
    """Return a real page of a kind on a simulated domain; past the last file it begins again."""
    files = real_files(folder, kind, plot.half)
    path = files[index % len(files)]
    spam = kind == "real_doorway"
    domain = plot.domain(index if spam else index % 500)
    url = f"http://{domain}/{path.name}"
    body = path.read_bytes()
    if kind == "real_web":
        url = _web_urls(folder).get(str(path.relative_to(folder / FOLDERS[kind])), url)
    else:
        homes = max(1, plot.size if spam else min(500, plot.size))
        body = lead_links(body, plot.chance("links", index), lambda at: plot.domain(at % homes), len(files))
    servers = provider_servers(plot.seed, 1000 + plot.number) if spam else plot.hoster(index)
    return CrawlPage(url, body, kind, "spam" if spam else "clean", None, domain, plot.name, servers)


def lead_links(
    body: bytes, chance: random.Random, home: Callable[[int], str], pages: int, share: float = REWRITTEN
) -> bytes:
    """Return a page with a share of its inner links led to the domains of others, any of so many pages."""

    def led(match: re.Match[bytes]) -> bytes:
        if chance.random() >= share:
            return match[0]
        domain = home(chance.randrange(pages))
        return b'href="http://%b/%b' % (domain.encode(), match[1].lstrip(b"./"))

    return _INNER_LINK.sub(led, body)


def real_sentences(path: Path, most: int = 20_000) -> tuple[str, ...]:
    """Return sentences of a text file or folder, for the text makers of a crawl."""
    return tuple(sentence for _, sentence in zip(range(most), _sentences(path), strict=False))


def _sentences(path: Path) -> Iterator[str]:
    """Yield sentences of 6 to 60 words, file by file in order."""
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            for line in file.read_text(errors="replace").splitlines():
                if not line.startswith("<"):
                    yield from (s.strip() + "." for s in line.split(". ") if 6 <= len(s.split()) <= 60)
