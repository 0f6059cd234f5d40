"""Documents of running text out of whatever a corpus is made of.

Pages give their visible text and messages their body. Two common forms of text corpora are unwrapped:
extracts of Wikipedia, where `<doc …>` and `</doc>` enclose each article, and tagged text in the manner of the
Brown corpus, `word/tag word/tag`. A long text without marks is cut into stretches at ends of lines, because
what is kept of a corpus depends on how many documents have it.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from hss_stream.signals.page_scan import scan_page
from hss_stream.sources.mail import parse_mail
from hss_stream.sources.records import SourceRecord

_ARTICLE = re.compile(rb"<doc\b[^>]*>(.*?)</doc>", re.DOTALL)
_TAGGED = re.compile(rb"\S+/[a-z.,:*()'`$+-]+")
# About 2,000 words of English.
STRETCH_BYTES = 12_000


def _to_utf8(body: bytes) -> bytes:
    """Return text as UTF-8; what is not that already is taken for Latin-1."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return body.decode("latin-1").encode()
    return body


def _is_tagged(text: bytes) -> bool:
    first = text[:2000].split()[:-1]
    return len(first) > 20 and sum(_TAGGED.fullmatch(word) is not None for word in first) > 0.95 * len(first)


def _without_tags(text: bytes) -> bytes:
    words = b" ".join(word.rpartition(b"/")[0] for word in text.split())
    return words.replace(b"``", b'"').replace(b"''", b'"')


def _stretches(text: bytes) -> Iterator[bytes]:
    begin = 0
    while len(text) - begin > 2 * STRETCH_BYTES:
        end = text.find(b"\n", begin + STRETCH_BYTES) + 1 or len(text)
        yield text[begin:end]
        begin = end
    yield text[begin:]


def text_documents(body: bytes) -> Iterator[bytes]:
    """Return the documents in a file of text, as UTF-8."""
    text = _to_utf8(body)
    if text.lstrip()[:5] == b"<doc ":
        for article in _ARTICLE.finditer(text):
            yield article[1]
    elif _is_tagged(text):
        yield _without_tags(text)
    else:
        yield from _stretches(text)


def document_key(record: SourceRecord, document: bytes) -> bytes:
    """Return what a document is told apart by when a corpus is split: the site of a page, else its text.

    Pages of a site share frames, menus and licences, so they are learnt or held out together.
    """
    if record.kind != "page":
        return document
    return (record.domain or urlsplit(record.url).hostname or record.url).encode()


def record_documents(record: SourceRecord) -> Iterator[bytes]:
    """Return the documents of running text in a record of a source."""
    if record.kind == "page":
        yield scan_page(record.body, record.content_type).text
    elif record.kind == "mail":
        mail = parse_mail(record.body)
        yield mail.plain or scan_page(mail.html, mail.html_type).text
    else:
        yield from text_documents(record.body)
