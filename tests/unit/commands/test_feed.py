"""`feed` tells mail from pages by the names of its sources."""

import click
import pytest

from hss_stream.commands.feed import kind_of


def test_folder_of_messages_is_mail(tmp_path):
    """A folder is mail where all its files are named so; anything else in it makes it pages."""
    (tmp_path / "a.eml").write_text("Subject: a\n\na")
    (tmp_path / "b.mbox").write_text("")

    assert kind_of((str(tmp_path),)) == "mail"
    (tmp_path / "c.html").write_text("<p>")
    assert kind_of((str(tmp_path),)) == "page"


def test_mixed_sources_are_refused():
    """Mail does not go to the topic of pages because another source came first."""
    with pytest.raises(click.UsageError, match="apart"):
        kind_of(("crawl.warc.gz", "box.mbox"))
