"""Dead letters: what could not be read, as it came, with why and from where.

Reason, error and attempts are pinned in the store before a letter is sent, so that a page
delivered again gives the same letter, byte for byte. Only `failed` can differ between
deliveries; all other reasons follow from the record itself.
"""

import hashlib
from dataclasses import dataclass

from hss_stream.errors import HssError
from hss_stream.stream.record import Headers, Place, RawRecord, Reason
from hss_stream.stream.topics import MAX_REQUEST_BYTES

PREFIX = "hss-"
# A letter whose original is over this keeps only its beginning: the rest would not fit a request.
WHOLE_BYTES = MAX_REQUEST_BYTES - (1 << 19)
KEPT_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """What is kept of a record that may become a dead letter."""

    place: Place
    timestamp_ms: int
    key: bytes | None
    value: bytes
    headers: Headers
    sha256: str
    truncated: bool

    @classmethod
    def of(cls, record: RawRecord, limit: int = KEPT_BYTES) -> "KeptRecord":
        """Keep a record, or its beginning where it is over the limit."""
        value = record.value or b""
        truncated = len(value) > limit
        return cls(
            record.place,
            record.timestamp_ms,
            record.key,
            value[:KEPT_BYTES] if truncated else value,
            record.headers,
            hashlib.sha256(value).hexdigest(),
            truncated,
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a record is a dead letter: what the store pins."""

    reason: Reason
    error: str
    attempts: int

    def to_bytes(self) -> bytes:
        """Return the form the store keeps."""
        return f"{self.reason}\n{self.attempts}\n{self.error}".encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Verdict":
        """Return what the store kept."""
        reason, attempts, error = data.decode().split("\n", 2)
        return cls(reason, error, int(attempts))  # type: ignore[arg-type] # written by to_bytes


def error_text(error: BaseException) -> str:
    """Return an error's class and fixed text; texts of others' errors may hold addresses or times."""
    name = type(error).__name__
    return f"{name}: {error}" if isinstance(error, HssError) else name


def letter_headers(kept: KeptRecord, verdict: Verdict, *, letter_id: str, origin: str, at: str) -> Headers:
    """Return the headers of a dead letter: ours first, then the original ones."""
    ours = {
        "id": letter_id,
        "at": at,
        "format": "1",
        "reason": verdict.reason,
        "error": verdict.error,
        "origin": origin,
        "attempts": str(verdict.attempts),
        "sha256": kept.sha256,
    }
    if kept.truncated:
        ours["truncated"] = "1"
    mine = tuple((PREFIX + name, text.encode()) for name, text in ours.items())
    return mine + tuple(pair for pair in kept.headers if not pair[0].startswith(PREFIX))
