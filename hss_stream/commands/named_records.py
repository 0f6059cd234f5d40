"""Records of sources, with the name servers that a file beside them gives."""

from collections.abc import Iterator
from pathlib import Path

from hss_stream.sources.nameservers import join_nameservers, load_nameservers
from hss_stream.sources.record import Kind, ProblemCount, SourceRecord
from hss_stream.sources.records import open_sources
from hss_stream.steps.scan_page import domain_of_url


def read_records(
    sources: tuple[str, ...], kind: Kind | None, names: Path | None, problems: ProblemCount
) -> Iterator[SourceRecord]:
    """Return the records of the sources, with name servers joined by domain where a file gives them."""
    records = open_sources(sources, kind=kind, on_problem=problems)
    if names is None:
        return records
    table = load_nameservers(names, problems)
    return join_nameservers(records, table, lambda record: record.domain or domain_of_url(record.url))
