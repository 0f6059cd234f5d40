"""Name servers from a file beside the pages: JSONL `{"domain", "nameservers"}`, joined by domain."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import orjson

from hss_stream.errors import SourceError
from hss_stream.sources.jsonl import read_lines
from hss_stream.sources.record import OnProblem, SourceProblem, SourceRecord


def load_nameservers(path: Path, on_problem: OnProblem) -> dict[str, tuple[str, ...]]:
    """Return the name servers of each domain in a JSONL file; broken lines are reported.

    A domain on several lines has the name servers of all of them.
    """
    if not path.is_file():
        raise SourceError(f"opening {path}: no such file; --nameservers takes a JSONL file")
    table: dict[str, tuple[str, ...]] = {}
    for number, line in read_lines(path, on_problem):
        try:
            fields = orjson.loads(line)
            domain, names = fields["domain"], fields["nameservers"]
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            detail = f"expected {{'domain', 'nameservers'}}: {error}"
            on_problem(SourceProblem(str(path), f"line {number}", "broken_line", detail))
            continue
        if not isinstance(domain, str) or not _is_name_list(names):
            detail = "`domain` has to be text and `nameservers` a list of names"
            on_problem(SourceProblem(str(path), f"line {number}", "broken_line", detail))
            continue
        key = domain.lower().rstrip(".")
        table[key] = tuple(dict.fromkeys((*table.get(key, ()), *names)))
    return table


def _is_name_list(names: object) -> bool:
    return isinstance(names, list) and all(isinstance(name, str) for name in names)


def join_nameservers(
    records: Iterable[SourceRecord],
    table: Mapping[str, tuple[str, ...]],
    domain_of: Callable[[SourceRecord], str | None],
) -> Iterator[SourceRecord]:
    """Yield the records; those that name no name servers get those of their domain."""
    for record in records:
        names = () if record.nameservers else table.get(domain_of(record) or "", ())
        yield replace(record, nameservers=names) if names else record
