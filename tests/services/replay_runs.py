"""Run `hss-stream replay` on generated pages, kill it at will, and resume it.

By hand, with as many kills as you like: `python -m tests.services.replay_runs --kills 50 --pages 4000`.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from tests.html_pages import html_page

ROOT = Path(__file__).parents[2]
LINES_A_PAGE = 3.2


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


def start_replay(source: Path, store: str, *more: str) -> subprocess.Popen:
    """Start a replay against a store."""
    program = [sys.executable, "-c", "from hss_stream.cli import main; main()"]
    return subprocess.Popen(
        [*program, "replay", str(source), "--json", "--store", store, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )


class Seen:
    """What all runs printed: events by id, one seen again must have the same bytes; the last report."""

    def __init__(self) -> None:
        self.events: dict[str, bytes] = {}
        self.report: list[dict] = []
        self.repeated = 0

    def read(self, process: subprocess.Popen, lines: int | None, delay: float = 0.0) -> int:
        """Read so many lines, then kill the process a little later (None: never); return its exit code."""
        self.report = []
        killer = threading.Timer(delay, process.kill)
        with process:
            for number, line in enumerate(process.stdout):
                if number == lines:
                    killer.start()
                if not line.endswith(b"\n"):
                    break
                event = json.loads(line)
                if "id" in event:
                    self.repeated += event["id"] in self.events
                    assert self.events.setdefault(event["id"], line) == line
                else:
                    self.report.append(event)
            process.stderr.read()
        killer.cancel()
        return process.returncode


def calm_run(source: Path, folder: Path) -> Seen:
    """Return what an undisturbed replay shows."""
    seen = Seen()
    assert 0 == seen.read(start_replay(source, f"embedded://{folder / 'calm'}"), None)
    return seen


def killed_run(source: Path, folder: Path, pages: int, kills: int, chance: random.Random) -> tuple[Seen, int]:
    """Return what a replay shows that was killed at random and resumed, and how often it was."""
    store, seen, killed = f"embedded://{folder / 'rough'}", Seen(), 0
    more: tuple[str, ...] = ()
    while killed < kills:
        lines = chance.randrange(int(2 * LINES_A_PAGE * pages / kills) + 2)
        code = seen.read(start_replay(source, store, *more), lines, chance.random() * 0.05)
        if code == 0:
            return seen, killed
        assert code == -9, code
        killed, more = killed + 1, ("--resume", "1")
    assert 0 == seen.read(start_replay(source, store, *more), None)
    return seen, killed


def main() -> None:
    """Compare an undisturbed run with one killed as often as asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--pages", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pages(folder / "pages.jsonl", options.pages)
        calm = calm_run(folder / "pages.jsonl", folder)
        chance = random.Random(options.seed)
        rough, killed = killed_run(folder / "pages.jsonl", folder, options.pages, options.kills, chance)
    same = calm.events == rough.events and calm.report == rough.report
    print(  # noqa: T201 - its purpose
        json.dumps(
            {
                "kills": killed, "pages": options.pages, "events": len(calm.events), "same": same,
                "clusters": sum(row["event"] == "summary" for row in calm.report),
                "events_printed_again": rough.repeated,
            }
        )
    )  # fmt: skip
    for line in differences(calm, rough):
        print(line, file=sys.stderr)  # noqa: T201 - its purpose
    sys.exit(0 if same else 1)


def differences(calm: Seen, rough: Seen, limit: int = 8) -> list[str]:
    """Return the first lines that one of two runs printed and the other did not."""
    one = {**calm.events, **{json.dumps(row): b"" for row in calm.report}}
    two = {**rough.events, **{json.dumps(row): b"" for row in rough.report}}
    ours = [
        f"only undisturbed: {(line or name.encode()).decode()}"
        for name, line in one.items()
        if name not in two
    ]
    theirs = [
        f"only killed: {(line or name.encode()).decode()}" for name, line in two.items() if name not in one
    ]
    other = [
        f"undisturbed: {line.decode()}killed: {two[name].decode()}"
        for name, line in one.items()
        if name in two and two[name] != line
    ]
    return ours[:limit] + theirs[:limit] + other[:limit]


if __name__ == "__main__":
    main()
