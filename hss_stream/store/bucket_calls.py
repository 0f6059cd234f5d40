"""Look-ups of the index in bulk: one MGET a shard, built and read with numpy in one piece."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hss_stream.store.cluster_store import BucketHits
from hss_stream.store.keys import FORMATS, Keys

_ENTRY = np.dtype([("high", "<u2"), ("name", ">u8")])


class BucketCall:
    """One look-up: `payload` is sent, `answers` answers come back, `hits` reads them."""

    def __init__(self, keys: Keys, words: NDArray[np.uint32], first_probe: int) -> None:
        self.words = words
        flat = words.ravel()
        asked = np.flatnonzero(flat)
        shards = (flat[asked] & 0xFFFF) % keys.shards
        order = np.argsort(shards, kind="stable")
        self.asked = asked[order]
        self.counts = np.bincount(shards, minlength=keys.shards).tolist()
        self.payload = self._pack(keys, first_probe, shards[order])
        self.answers = sum(count > 0 for count in self.counts)

    def _pack(self, keys: Keys, first_probe: int, shards: NDArray[np.signedinteger[Any]]) -> bytes:
        heads = [head + b"b%d" % FORMATS["b"] for head in keys.heads]
        before = b"$%d\r\n" % (len(heads[0]) + 3)
        start, size = len(before), len(before) + len(heads[0]) + 5
        items = np.empty((len(self.asked), size), np.uint8)
        items[:, :start] = np.frombuffer(before, np.uint8)
        table = np.frombuffer(b"".join(heads), np.uint8).reshape(len(heads), -1)
        end = start + table.shape[1]
        items[:, start:end] = table[shards]
        low = self.words.ravel()[self.asked]
        items[:, end] = self.asked % self.words.shape[1] + first_probe
        items[:, end + 1] = low & 0xFF
        items[:, end + 2] = (low >> 8) & 0xFF
        items[:, end + 3 :] = (13, 10)
        packed = items.tobytes()
        parts, place = [], 0
        for count in self.counts:
            if count:
                parts.append(b"*%d\r\n$4\r\nMGET\r\n" % (count + 1))
                parts.append(packed[place * size : (place + count) * size])
                place += count
        return b"".join(parts)

    def hits(self, answers: list[list[Any]]) -> BucketHits:
        """Return what the answers say."""
        values = [value for answer in answers for value in answer]
        lengths = np.fromiter((len(value) if value else 0 for value in values), np.int64, len(values))
        found = np.frombuffer(b"".join([value for value in values if value]), _ENTRY)
        items = np.repeat(self.asked, lengths // _ENTRY.itemsize)
        flat = self.words.ravel()
        same = found["high"] == (flat[items] >> 16)
        items = items[same]
        entries = np.bincount(items, minlength=flat.size).reshape(self.words.shape)
        sizes = np.zeros(flat.size, np.int64)
        sizes[self.asked] = lengths
        rows = items // self.words.shape[1]
        names = found["name"][same].astype(np.uint64)
        return BucketHits(rows, names, entries, sizes.reshape(self.words.shape))
