"""Pages that are written by the program are current; `make docs` writes them again."""

from pathlib import Path

from hss_stream.commands.settings import to_markdown
from hss_stream.gateway.openapi import to_bytes
from hss_stream.settings import Settings, setting_lines
from tests.house.sync_client import CLIENT, to_synchronous

DOCS = Path(__file__).parents[2] / "docs"


def test_settings_page_is_current():
    """docs/settings.md lists every setting with its default."""
    assert to_markdown(setting_lines(Settings())) == (DOCS / "settings.md").read_text()


def test_openapi_is_current():
    """docs/openapi.json is what the gateway serves."""
    assert to_bytes() == (DOCS / "openapi.json").read_bytes()


def test_client_has_one_source():
    """The client that waits is the one that is awaited, without the awaiting."""
    asynchronous = (CLIENT / "asynchronous.py").read_text()

    assert to_synchronous(asynchronous) == (CLIENT / "synchronous.py").read_text()
