"""Which address is the home page of a site."""

import re
from urllib.parse import urlsplit

_HOME_PATH = re.compile(r"/?|/(?:index|default|home)\.(?:html?|php|aspx?)", re.IGNORECASE)


def is_home_page(url: str) -> bool:
    """Tell whether a URL is a home page: no query, and the path empty, `/` or an index page.

    >>> is_home_page("http://example.com/index.html"), is_home_page("http://example.com/a")
    (True, False)
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return bool(parts.netloc) and not parts.query and _HOME_PATH.fullmatch(parts.path) is not None
