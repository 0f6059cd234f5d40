"""Pages that are written by the program are current; `make docs` writes them again."""

import pytest

from tests.house.write_docs import DOCS, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_page_is_current(name):
    """Every setting and every metric is documented, as it is."""
    assert PAGES[name]() == (DOCS / name).read_text()
