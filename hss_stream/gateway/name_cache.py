"""Answers about names, kept for a moment: a few names make up most questions of a mail gateway.

A kept answer lives for at most `seconds`, which is how late a change can show. Degraded answers
are never kept. The oldest give way when there is no room.
"""

from dataclasses import dataclass

# Longer names are rare and are not kept: they would cost memory, not time.
MAX_NAME = 512


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer as bytes, without the time it took, and what the log and the metrics need of it."""

    body: bytes
    etag: str
    verdict: str
    until: float


class NameCache:
    """The kept answers of one process; time is an argument."""

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._answers: dict[str, KeptAnswer] = {}

    def __len__(self) -> int:
        return len(self._answers)

    def find(self, name: str, now: float) -> KeptAnswer | None:
        """Return the answer kept for a name, if it still lives."""
        kept = self._answers.get(name)
        if kept is None or kept.until > now:
            return kept
        del self._answers[name]
        return None

    def keep(self, name: str, body: bytes, etag: str, verdict: str, now: float) -> KeptAnswer:
        """Keep an answer."""
        kept = KeptAnswer(body, etag, verdict, now + self._seconds)
        if self._limit and len(name) <= MAX_NAME:
            self._answers.pop(name, None)
            if len(self._answers) >= self._limit:
                del self._answers[next(iter(self._answers))]
            self._answers[name] = kept
        return kept
