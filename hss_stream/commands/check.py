"""`hss-stream check`: are the settings right, and are Kafka and the store as they should be?"""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Literal

import click

from hss_stream.commands.output import AWAY_SECONDS, print_json, print_table
from hss_stream.errors import HssError
from hss_stream.settings import Settings, load_settings
from hss_stream.store.open_store import make_store
from hss_stream.store.redis_store import RedisClusterStore
from hss_stream.store.server_facts import ServerFacts, read_facts
from hss_stream.stream.admin import admin_client, broker_count, missing_topics, unlike_plans
from hss_stream.stream.connection import bootstrap_servers, client_options
from hss_stream.stream.topics import Topics

# How far the store's clock may be from ours.
CLOCK_MS = 2000


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: what was found, and what to do unless it is fine."""

    name: str
    state: Literal["ok", "warning", "problem"]
    found: str
    advice: str = ""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(*, as_json: bool) -> None:
    """Check the settings, Kafka with its topics, and the store; exit 1 if something is wrong.

    A warning does not stop a worker, but costs data on a bad day.
    """
    settings = load_settings()
    settings.require_kafka()
    settings.require_lasting_store()
    checks = asyncio.run(_check(settings))
    if as_json:
        for one in checks:
            print_json(
                {
                    "check": one.name,
                    "ok": one.state != "problem",
                    "state": one.state,
                    "found": one.found,
                    "advice": one.advice or None,
                }
            )
    else:
        rows = [(one.name, one.state, one.found, one.advice) for one in checks]
        print_table("Before a worker starts", ("check", "state", "found", "what to do"), rows)
    sys.exit(1 if any(one.state == "problem" for one in checks) else 0)


async def _check(settings: Settings) -> list[Check]:
    kafka = [check async for check in _check_kafka(settings)]
    return [Check("settings", "ok", "accepted"), *kafka, *await _check_store(settings)]


async def _check_kafka(settings: Settings) -> AsyncIterator[Check]:
    servers, options = bootstrap_servers(settings.broker), client_options(settings.kafka)
    plans = Topics(settings.topic_prefix).plans()
    try:
        async with admin_client(servers, options) as client:
            yield Check("kafka", "ok", f"{await broker_count(client)} brokers")
            missing = await missing_topics(client, plans)
            unlike = await unlike_plans(client, [plan for plan in plans if plan.name not in missing])
    except HssError as error:
        yield Check("kafka", "problem", str(error), "start Kafka, or mend HSS_BROKER")
        return
    if missing:
        yield Check("topics", "problem", f"missing: {', '.join(missing)}", "run `hss-stream topics create`")
    else:
        yield Check("topics", "ok", f"{len(plans)} there")
    for name, differences in unlike.items():
        advice = "set it with kafka-configs, or leave it if it was meant so (docs/topics.md)"
        yield Check(f"topic {name}", "warning", "; ".join(differences), advice)


async def _check_store(settings: Settings) -> list[Check]:
    own = settings.store
    store = make_store(settings.redis, prefix=own.prefix, shards=own.shards, away_seconds=AWAY_SECONDS)
    try:
        # Refused here: formats, shards or prefix that are not those the store was made with.
        await store.open()
        if not isinstance(store, RedisClusterStore):
            return [Check("store", "problem", "it does not last", "set HSS_REDIS to redis://host:port")]
        facts = await read_facts(store.wire)
    except HssError as error:
        return [Check("store", "problem", str(error), "start it, or mend HSS_REDIS")]
    finally:
        await store.close()
    return list(_store_checks(facts, settings))


def _store_checks(facts: ServerFacts, settings: Settings) -> Iterator[Check]:
    """Yield what a store says about itself, judged."""
    size = f"{facts.keys:,} keys in {facts.used_bytes / 1e6:,.1f} MB"
    yield Check("store", "ok", f"version {facts.version}, {size}")
    yield Check("formats", "ok", f"as these settings have them, {settings.store.shards} shards")
    if facts.may_evict:
        advice = "set maxmemory-policy noeviction: this one silently forgets clusters"
        yield Check("memory policy", "problem", facts.policy, advice)
    else:
        yield Check("memory policy", "ok", facts.policy)
    if facts.appends:
        yield Check("append-only file", "ok", "on")
    else:
        yield Check("append-only file", "warning", "off", "set appendonly yes, or a crash loses pages")
    apart = abs(facts.clock_ms - time.time() * 1000)
    if apart > CLOCK_MS:
        yield Check(
            "clock", "warning", f"{apart / 1000:.0f} s from ours", "let both machines keep time by NTP"
        )
    else:
        yield Check("clock", "ok", "the store's agrees with ours")
