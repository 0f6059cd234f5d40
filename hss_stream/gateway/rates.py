"""Rate limits per token and per address: one atomic bucket in Redis for all processes, asked in bundles.

A request that had to ask Redis would cost twice as much as a kept answer. So a process takes a few permits
at a time (a twentieth of a second's worth) and spends them without asking. While Redis is away each process
counts for itself: limits get looser by the number of processes, never absent.
"""

from typing import Protocol

from hss_stream.errors import StoreError
from hss_stream.gateway.problem import Problem

# Keys a process remembers; beyond it the ones unused longest are forgotten.
MAX_KEYS = 20_000
LEASE_SECONDS = 0.05
# Bad tokens one address may show a second before it hears 429 instead of 401.
BAD_TOKENS_PER_SECOND = 5.0
BAD_TOKENS_BURST = 20.0


class SharedRates(Protocol):
    """Buckets that all processes share."""

    async def take(self, key: str, want: int, rate: float, burst: float) -> int:
        """Take up to `want` permits from a bucket that refills with time; may raise StoreError."""


class Bucket:
    """A token bucket; time is an argument."""

    __slots__ = ("_at", "_level")

    def __init__(self, burst: float, now: float) -> None:
        self._level = burst
        self._at = now

    def take(self, want: int, rate: float, burst: float, now: float) -> int:
        """Take up to `want` permits."""
        self._level = min(burst, self._level + (now - self._at) * rate)
        self._at = now
        taken = min(want, int(self._level))
        self._level -= taken
        return taken


class Buckets:
    """The buckets of one process."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = max(1.0, burst)
        self._buckets: dict[str, Bucket] = {}

    def take(self, key: str, now: float, want: int = 1) -> int:
        """Take up to `want` permits of a key."""
        bucket = self._buckets.pop(key, None) or Bucket(self._burst, now)
        if len(self._buckets) >= MAX_KEYS:
            del self._buckets[next(iter(self._buckets))]
        self._buckets[key] = bucket
        return bucket.take(want, self._rate, self._burst, now)


class RateLimit:
    """One limit: so many requests a second for each key, over all processes."""

    def __init__(self, name: str, rate: float, burst_seconds: float, shared: SharedRates | None) -> None:
        self._name = name
        self._rate = rate
        self._burst = max(1.0, rate * burst_seconds)
        self._shared = shared
        self._own = Buckets(rate, self._burst)
        self._permits: dict[str, int] = {}
        self._lease = max(1, int(rate * LEASE_SECONDS))
        self._ask_again_at = 0.0

    def has_permit(self, key: str) -> bool:
        """Tell whether a permit that was taken before is left."""
        return self._permits.get(key, 0) > 0

    def spend(self, key: str) -> None:
        """Spend a permit that is left."""
        self._permits[key] -= 1

    async def admit(self, key: str, now: float) -> None:
        """Let a request through, or raise the problem of one too many."""
        if self.has_permit(key):
            self.spend(key)
        elif not await self._take(key, now):
            wait = max(1, round(1 / self._rate))
            raise Problem(
                "too-many", f"at most {self._rate:g} requests a second", headers={"Retry-After": str(wait)}
            )

    async def _take(self, key: str, now: float) -> bool:
        """Take a bundle of permits and spend the first."""
        taken = await self._bundle(key, now)
        if len(self._permits) >= MAX_KEYS:
            self._permits.clear()
        self._permits[key] = max(0, taken - 1)
        return taken > 0

    async def _bundle(self, key: str, now: float) -> int:
        if self._shared is not None and now >= self._ask_again_at:
            try:
                return await self._shared.take(f"{self._name}:{key}", self._lease, self._rate, self._burst)
            except (StoreError, TimeoutError):
                self._ask_again_at = now + 1.0
        return self._own.take(key, now, self._lease)
