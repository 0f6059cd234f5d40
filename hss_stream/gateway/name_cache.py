"""Answers about names, kept for a moment: a few names make up most questions of a mail gateway.

An answer is kept under the target of its request, ready to be sent, together with the keys of the store
that it rests on. When the store says that one of them has changed the answer is dropped; otherwise it
lives for `seconds`, and for two where the store tells of no changes. Degraded answers are never kept. The
oldest give way when there is no room.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

# Longer targets are rare and are not kept: they would cost memory, not time.
MAX_TARGET = 512
UNTOLD_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer in the parts that stay the same, and what the log and the metrics need of it."""

    head: bytes  # status line and headers, up to the value of `Date`
    body: bytes  # `{…,"took_ms":`
    etag: str
    route: str
    kind: str
    verdict: str
    subject: str  # its hash, for the access line
    until: float = 0.0
    keys: Collection[bytes] = ()


class NameCache:
    """The kept answers of one process; time is an argument."""

    def __init__(self, limit: int, seconds: float, is_told: Callable[[], bool] = lambda: True) -> None:
        self._limit = limit
        self._seconds = seconds
        self._is_told = is_told
        self._answers: dict[str, KeptAnswer] = {}
        self._targets: dict[bytes, set[str]] = {}  # which answers rest on a key
        # Counts changes: an answer that was read before one and is kept after it may be old already.
        self.changes = 0

    def __len__(self) -> int:
        return len(self._answers)

    @property
    def has_room(self) -> bool:
        """Whether anything is kept at all."""
        return self._limit > 0

    def find(self, target: str, now: float) -> KeptAnswer | None:
        """Return the answer kept for a target, if it still lives."""
        kept = self._answers.get(target)
        if kept is None or kept.until > now:
            return kept
        self._drop(target)
        return None

    def keep(self, target: str, answer: KeptAnswer) -> None:
        """Keep an answer."""
        if not self._limit or len(target) > MAX_TARGET:
            return
        self._drop(target)
        if len(self._answers) >= self._limit:
            self._drop(next(iter(self._answers)))
        self._answers[target] = answer
        for key in answer.keys:
            self._targets.setdefault(key, set()).add(target)

    def until(self, now: float) -> float:
        """Return how long an answer given now may be kept."""
        return now + (self._seconds if self._is_told() else min(self._seconds, UNTOLD_SECONDS))

    def forget(self, keys: Iterable[bytes] | None) -> None:
        """Drop the answers that rest on keys which have changed; None: any may have."""
        self.changes += 1
        if keys is None:
            self._answers.clear()
            self._targets.clear()
            return
        for key in keys:
            for target in tuple(self._targets.get(key, ())):
                self._drop(target)

    def _drop(self, target: str) -> None:
        answer = self._answers.pop(target, None)
        if answer is None:
            return
        for key in answer.keys:
            targets = self._targets.get(key)
            if targets is not None:
                targets.discard(target)
                if not targets:
                    del self._targets[key]
