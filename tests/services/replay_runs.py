"""Run `hss-stream replay` on generated pages, kill it at will, and resume it."""

import json
import subprocess
import sys
from pathlib import Path

from tests.html_pages import html_page

ROOT = Path(__file__).parents[2]


def write_pages(path: Path, pages: int, templates: int = 12) -> None:
    """Write a JSONL source; its times run over months, so that clusters die on the way."""
    with path.open("w") as file:
        for number in range(pages):
            template = number * 7 % templates + number // 200 * templates
            day = number * 120 // pages
            file.write(
                json.dumps(
                    {
                        "url": f"https://www.d{number % 37}.example/{number}",
                        "html": html_page(template, number),
                        "fetched_at": f"2026-{1 + day // 28:02d}-{1 + day % 28:02d}T00:00:00Z",
                    }
                )
                + "\n"
            )


def start_replay(source: Path, store: Path, resume: int | None = None) -> subprocess.Popen:
    """Start a replay against the persistent embedded store of a folder."""
    more = [] if resume is None else ["--resume", str(resume)]
    program = [sys.executable, "-c", "from hss_stream.cli import main; main()"]
    return subprocess.Popen(
        [*program, "replay", str(source), "--json", "--store", f"embedded://{store}", *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )


def read_events(process: subprocess.Popen, lines: int | None, events: dict, report: list) -> bool:
    """Read so many lines, then kill the process; tell whether it ended by itself.

    Events are noted by id; one seen again must have the same bytes. A line cut off is nothing.
    """
    with process:
        for number, line in enumerate(process.stdout):
            if number == lines:
                process.kill()
            if not line.endswith(b"\n"):
                break
            event = json.loads(line)
            if "id" in event:
                assert events.setdefault(event["id"], line) == line
            else:
                report.append(event)
    return process.returncode == 0
