"""Rate limits in Redis: one atomic script over one bucket a key (`take_permits.lua`)."""

import hashlib
from functools import cache
from importlib.resources import files

from hss_stream.store.failures import failure_of
from hss_stream.store.wire import Wire, pack

BUCKET_FORMAT = 1


@cache
def _script() -> tuple[bytes, bytes]:
    text = files("hss_stream.gateway").joinpath("take_permits.lua").read_bytes()
    return text, hashlib.sha1(text).hexdigest().encode()  # noqa: S324 - what Redis names scripts by


class RedisRates:
    """Buckets that all processes of all gateways on one store share."""

    def __init__(self, wire: Wire, prefix: str) -> None:
        self._wire = wire
        self._prefix = prefix

    async def take(self, key: str, want: int, rate: float, burst: float) -> int:
        """Take up to `want` permits; StoreError when Redis is away."""
        text, name = _script()
        bucket = f"{self._prefix}{{{key}}}g{BUCKET_FORMAT}".encode()
        arguments = (b"1", bucket, b"%d" % want, b"%.6f" % rate, b"%.6f" % burst)
        doing = "taking permits"
        [answer] = await self._wire.call(doing, pack(b"EVALSHA", name, *arguments), 1)
        if isinstance(answer, Exception) and str(answer).startswith("NOSCRIPT"):
            [answer] = await self._wire.call(doing, pack(b"EVAL", text, *arguments), 1)
        if isinstance(answer, Exception):
            raise failure_of(doing, answer)
        return int(answer)
