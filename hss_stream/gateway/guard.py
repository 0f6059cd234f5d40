"""Who is asking, and may they? Tokens of a file that is read again when it changes.

Without any token the gateway is for one machine: it listens on loopback and lets everybody there look up.
From the first token on nobody gets in without one, also when the file is emptied or lost later.
"""

import ipaddress
import time
from pathlib import Path

from hss_stream.errors import SettingsError
from hss_stream.gateway.problem import Problem
from hss_stream.gateway.token_file import Token, TokenSet, read_tokens
from hss_stream.observe import log

# How often the file is looked at: a revoked token works for at most this long.
RELOAD_SECONDS = 1.0

ANONYMOUS = Token("anonymous", "anonymous", ("lookup",), "reporter", "", "")
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="hss-stream"'}


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Lets requests in by their token."""

    def __init__(self, path: Path | None, host: str) -> None:
        self._path = path
        self._mark: tuple[int, int, int] | None = None
        self._next_look = 0.0
        self._tokens = TokenSet()
        self._is_open = True
        self._reload()
        if not self._tokens and not is_loopback(host):
            raise SettingsError(
                f"starting the gateway: {host} can be reached from outside and there is no token; make one"
                " with `hss-stream tokens create` and set HSS_GATEWAY__TOKENS_FILE, or listen on 127.0.0.1"
            )

    @property
    def is_open(self) -> bool:
        """Whether requests without a token are let in."""
        return self._is_open

    def admit(self, authorization: str | None, scope: str) -> Token:
        """Return the token of a request that may do this; raise the problem otherwise."""
        self._look()
        if authorization is None:
            if self._is_open and ANONYMOUS.allows(scope):
                return ANONYMOUS
            raise Problem("no-token", "send `Authorization: Bearer …`", headers=_CHALLENGE)
        scheme, _, text = authorization.partition(" ")
        token = self._tokens.find(text.strip()) if scheme.lower() == "bearer" else None
        if token is None:
            raise Problem("no-token", "the token is unknown or revoked", headers=_CHALLENGE)
        if not token.allows(scope):
            raise Problem("not-allowed", f"this needs a token with the scope `{scope}`")
        return token

    def _look(self) -> None:
        now = time.monotonic()
        if self._path is not None and now >= self._next_look:
            self._next_look = now + RELOAD_SECONDS
            try:
                self._reload()
            except SettingsError as error:
                # Written by hand and broken: those who had a token keep it, nobody else gets in.
                log.warn("tokens_unreadable", problem=str(error))

    def _reload(self) -> None:
        if self._path is None:
            return
        try:
            status = self._path.stat()
            mark = (status.st_mtime_ns, status.st_ino, status.st_size)
        except FileNotFoundError:
            mark = None
        if mark == self._mark and mark is not None:
            return
        self._tokens = TokenSet(read_tokens(self._path))
        self._mark = mark
        if self._tokens:
            self._is_open = False
