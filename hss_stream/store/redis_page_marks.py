"""The marks of partitions on a Redis server, beside the cluster store whose connection they share.

All of a partition's marks live on its home shard, and every call may be repeated.
"""

import struct
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from hss_stream.store.keys import Keys
from hss_stream.store.page_marks import Partition, PartitionMarks
from hss_stream.store.wire import Wire, pack, raise_errors

_IN_HAND = struct.Struct("<QQI")
_OFFSET = struct.Struct(">Q")


class RedisPageMarks:
    """The marks on a Redis server, beside the cluster store whose connection they share."""

    def __init__(self, wire: Wire, keys: Keys, source_of: Callable[[Partition, str], Awaitable[int]]) -> None:
        self._wire = wire
        self._keys = keys
        self._source_of = source_of
        self._sources: dict[Partition, int] = {}

    def _key(self, partition: Partition, letter: str) -> bytes:
        source = self._sources[partition]
        return self._keys.of_source(self._keys.home(source), letter, source)

    async def _call(self, doing: str, commands: Sequence[bytes]) -> list[Any]:
        answers = await self._wire.call(doing, b"".join(commands), len(commands))
        raise_errors(doing, answers)
        return answers

    async def load(self, partition: Partition, incarnation: str) -> PartitionMarks:
        """Return what is remembered of a partition; the other calls go on with that incarnation."""
        self._sources[partition] = await self._source_of(partition, incarnation)
        in_hand, done, letters = await self._call(
            "loading the marks of a partition",
            [
                pack(b"GET", self._key(partition, "I")),
                pack(b"GET", self._key(partition, "D")),
                pack(b"HGETALL", self._key(partition, "L")),
            ],
        )
        first, last, tries = _IN_HAND.unpack(in_hand) if in_hand else (0, -1, 0)
        pinned = dict(zip(map(_to_offset, letters[::2]), letters[1::2], strict=True))
        return PartitionMarks(first, last, tries, int(done or 0), pinned)

    async def mark(self, partition: Partition, first: int, last: int, tries: int) -> None:
        """Remember which offsets are in hand, before they are read."""
        value = _IN_HAND.pack(first, last, tries)
        await self._call("marking pages in hand", [pack(b"SET", self._key(partition, "I"), value)])

    async def pin_letters(self, partition: Partition, letters: Mapping[int, bytes]) -> Mapping[int, bytes]:
        """Pin dead letters; return what is pinned, which is what was pinned first."""
        key = self._key(partition, "L")
        fields = [_OFFSET.pack(offset) for offset in letters]
        commands = [
            pack(b"HSETNX", key, field, letter)
            for field, letter in zip(fields, letters.values(), strict=True)
        ]
        *_, pinned = await self._call("pinning dead letters", [*commands, pack(b"HMGET", key, *fields)])
        return dict(zip(letters, pinned, strict=True))

    async def trim(self, committed: Mapping[Partition, int]) -> None:
        """Forget letters below the committed offsets, and remember those offsets."""
        commands, keys = [], []
        for partition, offset in committed.items():
            commands.append(pack(b"SET", self._key(partition, "D"), b"%d" % offset))
            keys.append(self._key(partition, "L"))
        answers = await self._call("trimming marks", commands + [pack(b"HKEYS", key) for key in keys])
        old = [
            pack(b"HDEL", key, *gone)
            for key, fields, offset in zip(keys, answers[len(keys) :], committed.values(), strict=True)
            if (gone := [field for field in fields if _to_offset(field) < offset])
        ]
        if old:
            await self._call("trimming marks", old)


def _to_offset(field: bytes) -> int:
    offset: int = _OFFSET.unpack(field)[0]
    return offset
