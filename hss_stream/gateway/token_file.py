"""Bearer tokens in a file of hashes: made and revoked by a command, read again when it changes.

A token reads `hss_<id>_<secret>`. The id is public: it names the token in lists, logs and limits. Of the
secret (32 random bytes) only the SHA-256 is kept; with so much chance in it a slow hash would add nothing.
The file is replaced as a whole, so a reader sees the old tokens or the new ones.
"""

import base64
import fcntl
import hashlib
import hmac
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

import orjson

from hss_stream.errors import SettingsError

Scope = Literal["lookup", "label", "admin"]
Role = Literal["editor", "reporter"]
SCOPES: tuple[str, ...] = get_args(Scope)
ROLES: tuple[str, ...] = get_args(Role)
FILE_FORMAT = 1
PREFIX = "hss"
SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token; `role` is what its labels count as."""

    id: str
    name: str
    scopes: tuple[str, ...]
    role: str
    sha256: str
    created_at: str
    revoked_at: str | None = None

    def allows(self, scope: str) -> bool:
        """Tell whether the token may do this; `admin` may do everything."""
        return scope in self.scopes or "admin" in self.scopes


def hash_secret(secret: str) -> str:
    """Return what is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def split_token(text: str) -> tuple[str, str]:
    """Return id and secret of a token as sent; two empty texts if it is none."""
    prefix, _, rest = text.partition("_")
    identity, _, secret = rest.partition("_")
    return (identity, secret) if prefix == PREFIX and secret else ("", "")


# Compared with when no token has the id asked for, so that known and unknown ids take the same time.
_NOBODY = Token("", "", (), "reporter", hash_secret(secrets.token_hex(16)), "")


class TokenSet:
    """The tokens of a file at one moment."""

    def __init__(self, tokens: tuple[Token, ...] = ()) -> None:
        self._by_id = {token.id: token for token in tokens if token.revoked_at is None}

    def __len__(self) -> int:
        return len(self._by_id)

    def find(self, text: str) -> Token | None:
        """Return the valid token that this text is; the comparison takes the same time whatever differs."""
        identity, secret = split_token(text)
        token = self._by_id.get(identity, _NOBODY)
        is_same = hmac.compare_digest(hash_secret(secret), token.sha256)
        return token if is_same and token is not _NOBODY else None


def read_tokens(path: Path) -> tuple[Token, ...]:
    """Return all tokens of a file, revoked ones too; none where there is no file."""
    try:
        content = orjson.loads(path.read_bytes())
        if content["format"] != FILE_FORMAT:
            raise SettingsError(
                f"reading tokens: {path} has format {content['format']}, this program reads {FILE_FORMAT}"
            )
        return tuple(
            Token(**{**entry, "scopes": tuple(entry["scopes"])})  # an unknown field is refused
            for entry in content["tokens"]
        )
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(
            f"reading tokens: {path} is no token file ({type(error).__name__}); "
            "give a file written by `hss-stream tokens`"
        ) from None


def create_token(path: Path, name: str, scopes: tuple[str, ...], role: str) -> tuple[Token, str]:
    """Add a token to a file; return it and the text to hand out, which is nowhere else."""
    secret = base64.urlsafe_b64encode(secrets.token_bytes(SECRET_BYTES)).decode().rstrip("=")
    token = Token(secrets.token_hex(6), name, scopes, role, hash_secret(secret), _now())
    with _locked(path):
        _write_tokens(path, (*read_tokens(path), token))
    return token, f"{PREFIX}_{token.id}_{secret}"


def revoke_token(path: Path, identity: str) -> Token:
    """Mark a token as revoked, for good."""
    with _locked(path):
        tokens = read_tokens(path)
        found = next((token for token in tokens if token.id == identity), None)
        if found is None:
            raise SettingsError(
                f"revoking a token: {path} has none with that id; see `hss-stream tokens list`"
            )
        revoked = replace(found, revoked_at=found.revoked_at or _now())
        _write_tokens(path, tuple(revoked if token.id == identity else token for token in tokens))
    return revoked


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a token file: two commands at once must not lose a token."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path.with_name(path.name + ".lock"), os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise SettingsError(f"writing tokens: {path.parent}: {error.strerror}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _write_tokens(path: Path, tokens: tuple[Token, ...]) -> None:
    content = {"format": FILE_FORMAT, "tokens": [asdict(token) for token in tokens]}
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # made with mode 0600
    with os.fdopen(descriptor, "wb") as file:
        file.write(orjson.dumps(content, option=orjson.OPT_INDENT_2))
        file.flush()
        os.fsync(file.fileno())
    Path(temporary).replace(path)
