"""`python -m tests.bench.publish <bench.jsonl >docs/benchmarks.md`: the output of `make bench` as a page."""

import json
import os
import platform
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

# What each bench is about, in the order of the page.
BENCHES = {
    "style": "The style sketch of a page",
    "page": "A whole page in one pass: both sketches, tags, text, links",
    "structure": "The distance of two tag sequences",
    "imatch": "I-Match signatures of a text",
    "faketext": "All fake-text scores of a text, tokenising included",
    "models": "Loading a model, and sharing it between processes",
    "attach": "Attaching sketches to clusters in Redis",
    "memory": "Memory of the store",
    "replay": "All steps over a source, without Kafka",
    "stream": "The worker on a real Kafka broker",
    "nameserver": "Name-server providers",
    "gateway": "Look-ups over HTTP",
}
COMMON = ("measure", "value", "baseline", "baseline_value", "ratio", "runs", "corpus")
HEAD = """# Benchmarks

What `make bench SLOW=1` printed on one machine: {machine}.
Ours and the baseline run in turns, in the same process or beside the same servers.
The best of `runs` counts; a ratio above 1 is better for us.
The machine is shared, so only ratios mean something.
Run it yourself, and make this page out of it:

    make bench SLOW=1 >bench.jsonl
    .venv/bin/python -m tests.bench.publish <bench.jsonl >docs/benchmarks.md

Corpora named `pages-…`, `text-…` and `email-…` are real and not part of the project (`EVALUATION_DATA`).
The others are generated.
"""


def machine() -> str:
    """Return cores, processor and versions, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor() or platform.machine()
    return f"{os.cpu_count()} cores ({name}), Python {platform.python_version()}"


def cell(value: object) -> str:
    """Return a value as a table shows it."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a table whose columns are the fields that some row has."""
    names = [name for name in COMMON if any(name in row for row in rows)]
    names += sorted({name for row in rows for name in row} - set(COMMON) - {"bench"})
    yield f"| {' | '.join(names)} |"
    yield f"| {' | '.join('---' for _ in names)} |"
    for row in rows:
        yield f"| {' | '.join(cell(row.get(name)) for name in names)} |"


def page(lines: Iterable[str]) -> Iterator[str]:
    """Yield the page, line by line."""
    rows = [json.loads(line) for line in lines if line.strip()]
    yield HEAD.format(machine=machine())
    for bench, title in BENCHES.items():
        own = [row for row in rows if row["bench"] == bench]
        if own:
            yield f"## `{bench}`: {title}"
            yield ""
            yield from table(own)
            yield ""


if __name__ == "__main__":
    sys.stdout.write("\n".join(page(sys.stdin)).rstrip() + "\n")
