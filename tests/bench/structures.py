"""Tag structures to measure on: a real corpus where there is one, else the generated crawl."""

from itertools import islice

from hss_stream.lab.crawl import generate_crawl
from hss_stream.lab.structure_evaluation import read_structures
from hss_stream.signals.tag_structure import TagStructure
from hss_stream.sources.records import SourceRecord, open_source
from tests.bench.measure import evaluation_corpus

PAGES = 1200


def load_structures(corpus: str) -> tuple[list[TagStructure], str]:
    """Return the structures of at most PAGES pages of a corpus, and the name of what was read."""
    folder = evaluation_corpus(corpus)
    if folder is not None:
        return read_structures(islice(open_source(folder), PAGES))[1], corpus
    pages = generate_crawl(seed=1, pages=PAGES)
    records = (SourceRecord(page.url, page.body, "page", page.content_type) for page in pages)
    return read_structures(records)[1], "generated"
