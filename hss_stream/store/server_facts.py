"""What a Redis server says about itself: may it forget, does it keep, how full is it."""

from dataclasses import dataclass

from hss_stream.store.wire import Wire, pack, raise_errors

# The only policies that never remove what nobody told them to remove.
KEEPING_POLICIES = frozenset({"noeviction", ""})


@dataclass(frozen=True)
class ServerFacts:
    """The part of INFO that matters to us."""

    version: str
    policy: str
    appends: bool
    used_bytes: int
    keys: int
    clock_ms: int

    @property
    def may_evict(self) -> bool:
        """Whether the server removes entries by itself when memory is short."""
        return self.policy not in KEEPING_POLICIES


async def read_facts(wire: Wire) -> ServerFacts:
    """Ask the server; StoreError when it does not answer."""
    [answer] = await wire.call("asking the store about itself", pack(b"INFO", b"everything"), 1)
    raise_errors("asking the store about itself", [answer])
    text = answer.decode(errors="replace") if isinstance(answer, bytes) else str(answer)
    facts = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    databases = [value for name, value in facts.items() if name.startswith("db") and "keys=" in value]
    keys = sum(int(value.split("keys=", 1)[1].split(",", 1)[0]) for value in databases)
    return ServerFacts(
        facts.get("valkey_version") or facts.get("redis_version", ""),
        facts.get("maxmemory_policy", ""),
        facts.get("aof_enabled") == "1",
        int(facts.get("used_memory", 0)),
        keys,
        int(facts.get("server_time_usec", 0)) // 1000,
    )
