"""Pages a second of a whole replay of generated HTML, and that the process stays flat while it grows."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.html_pages import html_page

VARIANTS = 2_000


def rows(*, slow: bool) -> Iterator[dict[str, object]]:
    """Yield rate and memory for two sizes, so that growth shows."""
    with tempfile.TemporaryDirectory() as folder:
        for pages in (30_000, 300_000) if slow else (2_000, 6_000):
            yield _replay(Path(folder), pages)


def _replay(folder: Path, pages: int) -> dict[str, object]:
    source = folder / f"{pages}.jsonl"
    bodies = [html_page(number % 100, number) for number in range(VARIANTS)]
    with source.open("w") as file:
        for number in range(pages):
            url = f"https://d{number % 997}.example/{number}"
            file.write(json.dumps({"url": url, "html": bodies[number % VARIANTS]}) + "\n")
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", "from hss_stream.cli import main; main()", "replay", str(source), "--json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    taken = time.perf_counter() - start
    assert process.returncode == 0
    assert isinstance(usage, resource.struct_rusage)
    return {
        "measure": "pages_per_second", "value": round(pages / taken, 1), "runs": 1, "pages": pages,
        "signals": "all", "corpus": "generated HTML", "process_megabytes": round(usage.ru_maxrss / 1024, 1),
    }  # fmt: skip
