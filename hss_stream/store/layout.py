"""Fixed facts of the store that both stores and their callers share: caps, names."""

from zlib import crc32

import xxhash

from hss_stream.store.records import MAX_URL_BYTES

WHEEL_SECONDS = 3600
_CUT_MARK = "…".encode()


def domain_hash(domain: str) -> int:
    """Return the 8 bytes that name a domain in the store."""
    return xxhash.xxh3_64_intdigest(domain.encode("utf-8", "surrogatepass"))


def stored_url(url: str) -> bytes:
    """Return a URL as it is stored: UTF-8, at most 255 bytes, longer ones cut and ended by their hash."""
    encoded = url.encode("utf-8", "backslashreplace")
    if len(encoded) <= MAX_URL_BYTES:
        return encoded
    tail = _CUT_MARK + xxhash.xxh3_64_hexdigest(encoded).encode()
    return encoded[: MAX_URL_BYTES - len(tail)].decode("utf-8", "ignore").encode() + tail


def sample_token(url: bytes) -> int:
    """Return the number by which a page is drawn into its cluster's sample."""
    return crc32(url)
