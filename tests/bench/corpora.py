"""Pages to measure on: real ones where EVALUATION_DATA names them, else generated ones."""

from pathlib import Path

from tests.bench.measure import evaluation_corpus

PARAGRAPH = (
    '<div class="c{0}"><h2 id="h{0}">Part {0}</h2><p>Some <b>words</b> of <a href="/p/{0}?q=1">page {0}</a>, '
    "and more of them; enough for a line &amp; a half.</p><ul><li>one</li><li>two</li></ul></div>\n"
)


def load_pages(name: str, *, every: int) -> tuple[list[bytes], str]:
    """Return every n-th page of a corpus and its name; generated pages are named so."""
    folder = evaluation_corpus(name)
    if folder is not None:
        return [Path(path).read_bytes() for path in sorted(folder.rglob("*.html"))[::every]], name
    pages = ["".join(PARAGRAPH.format(n * page) for n in range(1, 120)).encode() for page in range(1, 200)]
    return pages, "generated"
