"""What can be wrong with the store, by what an operator would do about it.

StoreError
├── StoreAwayError       not reachable, or too slow: wait, look at the server
├── StoreFullError       out of memory: raise maxmemory, shorten life times
├── StoreReadOnlyError   a replica: point to the primary
├── StoreLoadingError    still loading its data: wait
├── StoreRefusedError    wrong password, or a command the user may not run
├── StoreMismatchError   made with other shards, formats or prefix: refuse to start
├── StoreWentBackError   older than what was seen of it: re-read from its fence
└── StoreBrokenError     an answer that makes no sense: a bug, or somebody else's keys

Every act is one script, so an error leaves nothing half applied.
"""

from hss_stream.errors import StoreError


class StoreAwayError(StoreError):
    """The server cannot be reached, closed the connection or did not answer in time."""


class StoreFullError(StoreError):
    """The server has reached its memory limit and refuses to write."""


class StoreReadOnlyError(StoreError):
    """The server is a read-only replica, or refuses writes because it cannot save."""


class StoreLoadingError(StoreError):
    """The server is loading its data."""


class StoreRefusedError(StoreError):
    """The server refuses the user, the password or a command."""


class StoreMismatchError(StoreError):
    """The store was made with other settings or by another version."""


class StoreWentBackError(StoreError):
    """The pin fence of a source is lower than the worker has seen it."""

    def __init__(self, source: int, fence: int, seen: int) -> None:
        self.source = source
        self.fence = fence
        self.seen = seen
        super().__init__(
            f"pinning pages of source {source}: the store's fence is {fence} but was {seen}; it went back "
            f"(restored or failed over): read again from offset {fence + 1}"
        )


class StoreBrokenError(StoreError):
    """The server answered something this program cannot have caused."""


# First words of error replies, and what they mean; anything else is broken.
_BY_CODE: dict[str, tuple[type[StoreError], str]] = {
    "OOM": (StoreFullError, "the server is out of memory; raise maxmemory or shorten life times"),
    "READONLY": (StoreReadOnlyError, "the server is a read-only replica; give the address of the primary"),
    "MISCONF": (StoreReadOnlyError, "the server cannot save to disk and refuses writes; look at its disk"),
    "NOREPLICAS": (StoreReadOnlyError, "the server has too few replicas to accept writes"),
    "LOADING": (StoreLoadingError, "the server is loading its data; wait"),
    "BUSY": (StoreAwayError, "the server is busy with a script of somebody else"),
    "MASTERDOWN": (StoreReadOnlyError, "the server is a replica that lost its primary"),
    "NOAUTH": (StoreRefusedError, "the server wants a password; put it in the address"),
    "WRONGPASS": (StoreRefusedError, "the user name or the password is wrong"),
    "NOPERM": (StoreRefusedError, "the user may not run a command this program needs"),
    "FORMAT": (StoreMismatchError, "a record was written by another version of this program"),
    "MOVED": (StoreRefusedError, "the server is a node of a Redis Cluster, which is not supported yet"),
    "CROSSSLOT": (StoreRefusedError, "the server is a node of a Redis Cluster, which is not supported yet"),
}


def failure_of(doing: str, reply: Exception) -> StoreError:
    """Return the error for an error reply of the server; `doing` says what was asked of it."""
    text = str(reply)
    code = text.split(" ", 1)[0]
    if code not in _BY_CODE:
        # Errors raised inside a script carry the original code further inside.
        code = next((known for known in _BY_CODE if f"{known} " in text or f"-{known}" in text), "")
    kind, advice = _BY_CODE.get(code, (StoreBrokenError, f"unexpected answer: {text[:200]}"))
    return kind(f"{doing}: {advice}")
