"""Calls of a server that holds a sharded store: scripts by their hash, bulk reads, numbers of sources.

What every store on Redis needs. No command touches two shards, so the same calls would serve a cluster of
servers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hss_stream.store.address import StoreAddress
from hss_stream.store.failures import StoreBrokenError, StoreMismatchError
from hss_stream.store.keys import FORMATS, Keys
from hss_stream.store.scripts import script_hashes, script_texts
from hss_stream.store.wire import Wire, pack, raise_errors
from hss_stream.verdicts.cluster_id import MAX_SOURCE


class ScriptCalls:
    """The connection of one store, its keys and its scripts."""

    def __init__(self, address: StoreAddress, prefix: str, shards: int, away_seconds: float) -> None:
        self.shards = shards
        self.keys = Keys(prefix, shards)
        self.wire = Wire(address, away_seconds)
        self.scripts = script_texts()
        self.hashes = script_hashes(self.scripts)
        self.clocks = [self.keys.key(shard, "c") for shard in range(shards)]
        self.clock_payload = b"".join(pack(b"GET", key) for key in self.clocks)

    async def close(self) -> None:
        """Close the connection."""
        await self.wire.close()

    async def _meet(self, more: Mapping[bytes, bytes]) -> None:
        """Reach the server, load the scripts, and check what the store was made with."""
        ours = {
            b"shards": b"%d" % self.shards,
            **more,
            b"prefix": self.keys.prefix.encode(),
            b"keys": b"".join(b"%b%d" % (letter.encode(), number) for letter, number in FORMATS.items()),
        }
        await self._load_scripts()
        [answer] = await self._run(
            "opening the store", "meet", [(0, [part for pair in ours.items() for part in pair])]
        )
        made_with = dict(zip(answer[::2], answer[1::2], strict=True))
        for what, value in ours.items():
            if made_with.get(what) != value:
                theirs = made_with.get(what, b"nothing").decode(errors="replace")
                raise StoreMismatchError(
                    f"opening the store: it was made with {what.decode()} {theirs}, not {value.decode()}; "
                    "set it so, or choose another HSS_STORE__PREFIX"
                )

    async def _call(self, doing: str, commands: Sequence[bytes]) -> list[Any]:
        answers = await self.wire.call(doing, b"".join(commands), len(commands))
        raise_errors(doing, answers)
        return answers

    async def _load_scripts(self) -> None:
        await self._call(
            "loading scripts", [pack(b"SCRIPT", b"LOAD", text) for text in self.scripts.values()]
        )

    async def _run(self, doing: str, script: str, calls: Sequence[tuple[int, Sequence[bytes]]]) -> list[Any]:
        """Run a script once for each (shard, arguments), all in one go; load scripts a server forgot."""
        sha = self.hashes[script]
        commands = [pack(b"EVALSHA", sha, b"1", self.clocks[shard], *arguments) for shard, arguments in calls]
        answers = await self.wire.call(doing, b"".join(commands), len(commands))
        forgotten = [
            number
            for number, answer in enumerate(answers)
            if isinstance(answer, Exception) and str(answer).startswith("NOSCRIPT")
        ]
        if forgotten:
            await self._load_scripts()
            again = await self.wire.call(
                doing, b"".join(commands[number] for number in forgotten), len(forgotten)
            )
            for number, answer in zip(forgotten, again, strict=True):
                answers[number] = answer
        raise_errors(doing, answers)
        return answers

    async def _get_many(self, doing: str, keys: Sequence[bytes], shards: Sequence[int]) -> list[bytes | None]:
        """Return the values of keys, with one MGET a shard."""
        by_shard: dict[int, list[int]] = {}
        for number, shard in enumerate(shards):
            by_shard.setdefault(shard, []).append(number)
        commands = [pack(b"MGET", *(keys[number] for number in some)) for some in by_shard.values()]
        values: list[bytes | None] = [None] * len(keys)
        for some, answer in zip(by_shard.values(), await self._call(doing, commands), strict=True):
            for number, value in zip(some, answer, strict=True):
                values[number] = value
        return values

    async def source_number(self, group: str, topic: str, partition: int, incarnation: str = "") -> int:
        """Return the number of a source."""
        parts = (group, topic, str(partition), incarnation)
        packed = b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in parts)
        [number] = await self._run("numbering a source", "source_number", [(0, [packed])])
        if number > MAX_SOURCE:
            raise StoreBrokenError(
                f"numbering a source: {MAX_SOURCE} are used up; begin a store with another HSS_STORE__PREFIX"
            )
        return int(number)
