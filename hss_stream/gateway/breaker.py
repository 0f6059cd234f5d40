"""A circuit breaker: a store that fails is left alone for a moment, so that nobody waits for it.

closed → (failures in a row) → open → (some seconds) → one call may try → closed or open again.
Time is an argument.
"""


class Breaker:
    """Counts failures of one dependency."""

    def __init__(self, failures: int, seconds: float) -> None:
        self._limit = failures
        self._seconds = seconds
        self._failures = 0
        self._open_until = 0.0

    @property
    def is_closed(self) -> bool:
        """Whether calls go through as usual."""
        return self._failures < self._limit

    def may_call(self, now: float) -> bool:
        """Tell whether to call now; in the open state one call is let through every few seconds."""
        if self.is_closed:
            return True
        if now < self._open_until:
            return False
        self._open_until = now + self._seconds
        return True

    def succeeded(self) -> None:
        """Note an answer."""
        self._failures = 0

    def failed(self, now: float) -> None:
        """Note a failure."""
        self._failures += 1
        if not self.is_closed:
            self._open_until = now + self._seconds
