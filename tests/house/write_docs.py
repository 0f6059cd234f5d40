"""`python -m tests.house.write_docs`: write the generated pages of docs/ again."""

from pathlib import Path

from hss_stream.commands.settings import to_markdown
from hss_stream.observe.metrics import Metrics
from hss_stream.settings import Settings, setting_lines

DOCS = Path(__file__).parents[2] / "docs"

METRICS_HEAD = """# Metrics

Written by `make docs`; do not edit.
The worker serves them on `/metrics` (`HSS_METRICS__PORT`), beside `/healthz` and `/readyz`.
Labels come from closed sets; no URL, domain or cluster id is ever one.

| name | type | labels | meaning |
| --- | --- | --- | --- |
"""


def metrics_page() -> str:
    """Return docs/metrics.md."""
    rows = (
        f"| `{name}` | {kind} | {labels or 'none'} | {text} |\n"
        for name, kind, labels, text in Metrics().lines()
    )
    return METRICS_HEAD + "".join(rows)


def settings_page() -> str:
    """Return docs/settings.md."""
    return to_markdown(setting_lines(Settings()))


PAGES = {"settings.md": settings_page, "metrics.md": metrics_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page())
