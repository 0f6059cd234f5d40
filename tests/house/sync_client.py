"""Write the client that waits from the one that is awaited: the same text without the awaiting."""

from pathlib import Path

CLIENT = Path(__file__).parents[2] / "hss_stream" / "client"
CHANGES = (
    ('"""The client, to be awaited; `make docs` writes `synchronous.py` from this file."""',
     '"""The client that waits. Written from `asynchronous.py` by `make docs`; change that one."""'),
    ("async def ", "def "),
    ("await ", ""),
    ("__aenter__", "__enter__"),
    ("__aexit__", "__exit__"),
    ("AsyncClient", "Client"),
    ("AsyncTransport", "Transport"),
)  # fmt: skip


def to_synchronous(text):
    """Return the text of synchronous.py."""
    for old, new in CHANGES:
        text = text.replace(old, new)
    return text


if __name__ == "__main__":
    (CLIENT / "synchronous.py").write_text(to_synchronous((CLIENT / "asynchronous.py").read_text()))
