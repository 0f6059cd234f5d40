"""Reads of many small values: one MGET a shard, built and read with numpy in one piece."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hss_stream.store.cluster_store import BucketHits
from hss_stream.store.keys import FORMATS, Keys

_ENTRY = np.dtype([("high", "<u2"), ("name", ">u8")])


class BulkRead:
    """Values of one letter, named by the rows of `names`: `payload` is sent, `answers` answers come back."""

    def __init__(self, keys: Keys, letter: str, names: NDArray[np.uint8], shards: NDArray[Any]) -> None:
        self.order = np.argsort(shards, kind="stable")
        counts = np.bincount(shards, minlength=keys.shards).tolist()
        self.answers = sum(count > 0 for count in counts)
        heads = [head + b"%b%d" % (letter.encode(), FORMATS[letter]) for head in keys.heads]
        before = b"$%d\r\n" % (len(heads[0]) + names.shape[1])
        table = np.frombuffer(b"".join(before + head for head in heads), np.uint8).reshape(len(heads), -1)
        start = table.shape[1]
        size = start + names.shape[1] + 2
        items = np.empty((len(names), size), np.uint8)
        items[:, :start] = table[shards[self.order]]
        items[:, start:-2] = names[self.order]
        items[:, -2:] = (13, 10)
        packed = items.tobytes()
        parts, place = [], 0
        for count in counts:
            if count:
                parts.append(b"*%d\r\n$4\r\nMGET\r\n" % (count + 1))
                parts.append(packed[place : place + count * size])
                place += count * size
        self.payload = b"".join(parts)

    def values(self, answers: list[list[bytes | None]]) -> list[bytes]:
        """Return the values in the order `order`, empty where there is none."""
        return [value or b"" for answer in answers for value in answer]


def named_read(keys: Keys, letter: str, names: Sequence[int], *, by_domain: bool = False) -> BulkRead:
    """Return the read of values named by ids, or by hashes of domains."""
    numbers = np.array(names, np.uint64)
    shards = numbers % np.uint64(keys.shards) if by_domain else numbers & np.uint64(0xFF)
    rows = numbers.astype(">u8").view(np.uint8).reshape(-1, 8)
    return BulkRead(keys, letter, rows, shards.astype(np.int64))


class BucketRead:
    """A look-up of probe words in the index: `read` is sent, `hits` reads its answers."""

    def __init__(self, keys: Keys, words: NDArray[np.uint32], first_probe: int) -> None:
        self.words = words
        self.asked = np.flatnonzero(words)
        low = words.ravel()[self.asked] & np.uint32(0xFFFF)
        names = np.empty((len(low), 3), np.uint8)
        names[:, 0] = self.asked % words.shape[1] + first_probe
        names[:, 1] = low & 0xFF
        names[:, 2] = low >> 8
        self.read = BulkRead(keys, "b", names, (low % keys.shards).astype(np.int64))

    def hits(self, answers: list[list[bytes | None]]) -> BucketHits:
        """Return what the answers say."""
        values = self.read.values(answers)
        lengths = np.fromiter(map(len, values), np.int64, len(values))
        found = np.frombuffer(b"".join(values), _ENTRY)
        asked = self.asked[self.read.order]
        items = np.repeat(asked, lengths // _ENTRY.itemsize)
        flat = self.words.ravel()
        same = found["high"] == (flat[items] >> 16)
        items = items[same]
        entries = np.bincount(items, minlength=flat.size).reshape(self.words.shape)
        sizes = np.zeros(flat.size, np.int64)
        sizes[asked] = lengths
        rows = items // self.words.shape[1]
        names = found["name"][same].astype(np.uint64)
        return BucketHits(rows, names, entries, sizes.reshape(self.words.shape))
