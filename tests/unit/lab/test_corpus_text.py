"""Documents come out of each form of corpus as running text."""

from hss_stream.lab.corpus_text import STRETCH_BYTES, record_documents, text_documents
from hss_stream.sources.records import SourceRecord


def test_articles_are_documents():
    """Each `<doc>` of an extract of Wikipedia is one document, without the marks."""
    text = b'<doc id="1" title="A">\nA\n\nOne.\n</doc>\n<doc id="2">\nTwo.\n</doc>\n'

    assert [b"\nA\n\nOne.\n", b"\nTwo.\n"] == list(text_documents(text))


def test_tags_are_taken_off():
    """Tagged text becomes plain words, also words that hold a slash, with plain quotation marks."""
    text = b"``/`` One/cd and/cc half/half/nn ''/'' is/bez ./. " * 20

    assert next(text_documents(text)).startswith(b'" One and half/half " is . " One')


def test_long_texts_are_cut():
    """A long text without marks becomes stretches that end with a line, and nothing is lost."""
    text = b"some words of a line\n" * 4000
    stretches = list(text_documents(text))

    assert text == b"".join(stretches)
    assert all(stretch.endswith(b"\n") for stretch in stretches)
    assert all(STRETCH_BYTES <= len(stretch) < 2.1 * STRETCH_BYTES for stretch in stretches)


def test_latin_1_becomes_utf8():
    """What is no UTF-8 is read as Latin-1."""
    assert ["café".encode()] == list(text_documents("café".encode("latin-1")))


def test_pages_and_mail_give_their_text():
    """A page gives its visible text; a message its body, out of HTML if there is nothing else."""
    page = SourceRecord("u", b"<title>x</title><p>Hello <b>you</b></p>", "page")
    mail = SourceRecord("u", b"Subject: x\n\nHello there\n", "mail")

    assert [b"Hello you"] == [text.strip() for text in record_documents(page)]
    assert [b"Hello there"] == [text.strip() for text in record_documents(mail)]
