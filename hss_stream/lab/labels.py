"""Labels for evaluation: a JSONL file with one object a page, found by `file` or `url`."""

from collections.abc import Iterable
from pathlib import Path

import orjson

from hss_stream.errors import SourceError


def load_labels(path: Path, fields: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the wanted fields of every page by its URL; `file` stands for `file:///` + its path."""
    labels: dict[str, dict[str, str]] = {}
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise SourceError(f"reading labels {path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
            values = {field: str(row[field]) for field in fields}
            # A page out of a folder is known by its place there, even if the label also says where it was.
            names = [f"file:///{row['file']}"] if "file" in row else []
            names += [row["url"]] if "url" in row else []
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            raise SourceError(f"reading labels {path}, line {number}: no usable label: {error!r}") from error
        for name in names:
            labels[name] = values
    return labels


def labels_of(urls: Iterable[str], labels: dict[str, dict[str, str]], field: str) -> list[str]:
    """Return the label of every page; a page without one stands alone."""
    return [labels[url][field] if url in labels else f"unlabelled: {url}" for url in urls]
