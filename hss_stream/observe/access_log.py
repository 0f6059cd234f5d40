"""One structured line a request, written in bundles so that a busy gateway does not wait for the log.

A line says which route, how it ended, how long it took, by which token (its public id) and about what, the
last only as a keyed hash: lines of one run can be told to be about the same subject, and nobody can guess
the subject from the hash. Addresses are hashed the same way.
"""

import hashlib
import secrets
import sys
import time
from datetime import UTC, datetime
from typing import TextIO

import orjson

# Lines kept back at most, and for how long; a crash loses at most these.
MAX_LINES = 512
# Addresses whose hashes are kept.
MAX_ADDRESSES = 10_000


class AccessLog:
    """Writes access lines to stderr, or wherever it is told."""

    def __init__(self, stream: TextIO | None = None, *, as_json: bool = True, enabled: bool = True) -> None:
        self._stream = stream or sys.stderr
        self._as_json = as_json
        self._enabled = enabled
        self._key = secrets.token_bytes(32)
        self._lines: list[bytes] = []
        self._second, self._second_text = 0, ""
        self._addresses: dict[str, str] = {}

    def hash_subject(self, subject: bytes) -> str:
        """Return what a line may say of a subject."""
        return hashlib.blake2b(subject, digest_size=8, key=self._key).hexdigest()

    def note(
        self, *, route: str, method: str, status: int, seconds: float, token: str, address: str,
        subject: str | None, verdict: str | None, degraded: bool, bytes_in: int,
    ) -> None:  # fmt: skip
        """Keep the line of a request for the next flush; `subject` is what `hash_subject` gave."""
        if not self._enabled:
            return
        fields: dict[str, object] = {
            "at": self._now(),
            "level": "info",
            "event": "request",
            "route": route,
            "method": method,
            "status": status,
            "took_ms": round(seconds * 1000, 2),
            "token": token,
            "address": self._hash_address(address),
            "subject": subject,
            "verdict": verdict,
            "degraded": degraded,
            "bytes": bytes_in,
        }
        if self._as_json:
            self._lines.append(orjson.dumps(fields))
        else:
            self._lines.append(" ".join(f"{name}={value}" for name, value in fields.items()).encode())
        if len(self._lines) >= MAX_LINES:
            self.flush()

    def _now(self) -> str:
        now = time.time()
        second = int(now)
        if second != self._second:
            self._second = second
            self._second_text = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        return f"{self._second_text}.{int((now - second) * 1000):03d}+00:00"

    def _hash_address(self, address: str) -> str:
        hashed = self._addresses.get(address)
        if hashed is None:
            if len(self._addresses) >= MAX_ADDRESSES:
                self._addresses.clear()
            hashed = self._addresses[address] = self.hash_subject(address.encode())
        return hashed

    def flush(self) -> None:
        """Write what was kept."""
        if self._lines:
            lines, self._lines = self._lines, []
            self._stream.write(b"\n".join(lines).decode() + "\n")
            self._stream.flush()
