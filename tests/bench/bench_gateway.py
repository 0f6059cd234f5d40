"""Bench `gateway`: look-ups a CPU second against a handler that does nothing, and mail against rspamd.

The machine's other core makes the load, so rates are by processor time of the serving processes (the store's
not counted); latencies are measured at 80 % of the highest rate reached.
"""

import asyncio
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from hss_stream.lab.crawl_mail import generate_mail
from hss_stream.sources.mail import parse_mail
from hss_stream.steps.events import Origin
from hss_stream.steps.judge_pages import TEXT_RULES
from hss_stream.steps.look_up_mail import read_mail
from hss_stream.steps.place_page import PlacePages
from hss_stream.store.address import StoreAddress
from hss_stream.store.keys import Keys
from hss_stream.store.layout import domain_hash
from hss_stream.store.open_store import make_store
from hss_stream.store.records import DomainRecord
from hss_stream.store.wire import Wire, pack
from hss_stream.verdicts.cluster_id import MAIL
from tests.bench.http_load import cpu_seconds, run_load
from tests.bench.measure import RUNS, best_seconds, evaluation_corpus
from tests.services.programs import running_gateway, running_valkey
from tests.services.rspamd import Rspamd, free_port, is_listening, running_rspamd

NAMES = 100_000
REQUESTS = 6_000
CUT, FULL = "rspamd", "rspamd, all modules"
RSPAMDS: dict[str, dict[str, Any]] = {CUT: {"fuzzy": True}, FULL: {"base": "full.conf"}}
FULL_MESSAGES = 200
WIDE = {"address_rate_per_second": 1e6, "cache_seconds": 600, "budget_seconds": 5}


def name_requests(count: int, seed: int) -> list[bytes]:
    """Return requests for URLs whose domains are drawn Zipf from 100,000."""
    chance = random.Random(seed)
    weights = [1 / rank for rank in range(1, NAMES + 1)]
    return [
        b"GET /v1/url?url=http://d%d.example/ HTTP/1.1\r\nHost: x\r\n\r\n" % number
        for number in chance.choices(range(NAMES), weights, k=count)
    ]


def post(path: str, body: bytes) -> bytes:
    """Return a request with a body."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: message/rfc822\r\nContent-Length: {len(body)}\r\n"
    )
    return head.encode() + b"Connection: keep-alive\r\n\r\n" + body


def messages() -> tuple[str, list[bytes]]:
    """Return real messages where they are, else generated ones."""
    folder = evaluation_corpus("email-spamassassin")
    if folder is None:
        return "generated", [mail.raw for mail in generate_mail(seed=5, messages=1000)]
    files = sorted(
        path for path in folder.rglob("*") if path.is_file() and path.suffix not in {".jsonl", ".md"}
    )
    random.Random(5).shuffle(files)
    return "email-spamassassin", [path.read_bytes() for path in files[:1000]]


async def fill(socket: str, mails: list[bytes]) -> None:
    """Give the store 100,000 domains and a few campaigns."""
    wire, keys = Wire(StoreAddress(path=socket)), Keys("hss", 16)
    for start in range(0, NAMES, 1000):
        batch = [domain_hash(f"d{number}.example") for number in range(start, start + 1000)]
        commands = [pack(b"SET", keys.domain(one), DomainRecord(pages=1).pack()) for one in batch]
        await wire.call("filling", b"".join(commands), len(commands))
    await wire.close()
    store = make_store(f"unix://{socket}", TEXT_RULES, prefix="hss.mail")
    await store.open()
    documents = [
        replace(read_mail(raw).document, origin=Origin("hss", "hss.mail", 0, number))
        for number, raw in enumerate(mails[:300])
    ]
    documents = [
        replace(one, sketched=replace(one.sketched, offset=number)) for number, one in enumerate(documents)
    ]
    await PlacePages(store, TEXT_RULES, space=MAIL).place(documents)
    await store.close()


@contextmanager
def running_noop() -> Iterator[tuple[int, int]]:
    """Run the handler that does nothing; yield its port and process."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "tests.bench._noop_server", str(port)])
    try:
        while not is_listening(port):
            assert process.poll() is None
        yield port, process.pid
    finally:
        process.kill()
        process.wait()


class Contest:
    """Servers that get the same load in turns; the best of each counts."""

    def __init__(self) -> None:
        self.best: dict[str, float] = {}

    def turn(self, name: str, port: int, pid: int, requests: list[bytes]) -> None:
        """Load one server once."""
        before = cpu_seconds(pid)
        result = run_load(port, requests)
        assert set(result.statuses) == {b"200"}, (name, result.statuses)
        rate = len(requests) / (cpu_seconds(pid) - before)
        self.best[name] = max(rate, self.best.get(name, 0.0))

    def row(self, name: str, baseline: str, **more: object) -> dict[str, object]:
        """Return a row of the output."""
        return {
            "measure": "requests_per_cpu_second", "value": round(self.best[name], 1), "baseline": baseline,
            "baseline_value": round(self.best[baseline], 1),
            "ratio": round(self.best[name] / self.best[baseline], 3), "runs": RUNS, **more,
        }  # fmt: skip


def paced(port: int, requests: list[bytes]) -> dict[str, float]:
    """Return latencies at 80 % of the rate reached just before: a shared machine changes its mind."""
    fastest = run_load(port, requests)
    result = run_load(port, requests, connections=32, interval=fastest.seconds / len(requests) / 0.8)
    return {"p50_ms": result.percentile_ms(0.5), "p99_ms": result.percentile_ms(0.99)}


def parsing_share(mails: list[bytes], rate: float) -> float:
    """Return which part of a look-up's processor time MIME parsing takes."""
    best = best_seconds({"parse": lambda: [parse_mail(raw) for raw in mails]})["parse"]
    return round(best / len(mails) * rate, 3)


def rows(*, slow: bool) -> Iterator[dict[str, object]]:
    """Yield names warm and cold, then mail against the no-op handler and rspamd."""
    del slow
    corpus, mails = messages()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        _, socket = stack.enter_context(running_valkey(folder))
        asyncio.run(fill(socket, mails))
        noop = stack.enter_context(running_noop())
        warm = stack.enter_context(running_gateway(f"unix://{socket}", **WIDE, cache_names=NAMES))
        cold = stack.enter_context(running_gateway(f"unix://{socket}", **WIDE, cache_names=0))
        yield from name_rows(noop, warm, cold)
        yield from mail_rows(noop, warm, corpus, mails, folder)


def name_rows(noop, warm, cold) -> Iterator[dict[str, object]]:
    """Yield the rows of names."""
    contest, requests = Contest(), name_requests(REQUESTS, 1)
    run_load(warm.port, requests)
    for _ in range(RUNS):
        contest.turn("no-op handler", *noop, requests)
        contest.turn("warm", warm.port, warm.process.pid, requests)
        contest.turn("cold", cold.port, cold.process.pid, requests)
    for cache, gateway in (("warm", warm), ("cold", cold)):
        latencies = paced(gateway.port, requests)
        yield contest.row(cache, "no-op handler", kind="name", cache=cache, **latencies, corpus="zipf-100000")


def started_rspamds(stack: ExitStack, folder: Path) -> Iterator[tuple[str, Rspamd]]:
    """Yield rspamd cut to MIME parsing and `fuzzy_check`, and rspamd as it is shipped."""
    for number, (name, options) in enumerate(RSPAMDS.items()):
        place = folder / f"rspamd{number}"
        place.mkdir()
        place.chmod(0o777)
        yield name, stack.enter_context(running_rspamd(place, **options))


def mail_rows(noop, gateway, corpus, mails, folder) -> Iterator[dict[str, object]]:
    """Yield the rows of mail."""
    contest, ours = Contest(), [post("/v1/mail", raw) for raw in mails]
    with ExitStack() as stack:
        rspamds = dict(started_rspamds(stack, folder)) if shutil.which("rspamd") else {}
        theirs = [post("/checkv2", raw) for raw in mails]
        for _ in range(RUNS):
            contest.turn("no-op handler", *noop, ours)
            contest.turn("mail", gateway.port, gateway.process.pid, ours)
            if CUT in rspamds:
                contest.turn(CUT, rspamds[CUT].port, rspamds[CUT].process.pid, theirs)
        if FULL in rspamds:
            # A hundred times slower, and most of it waiting: once, with a part of the messages.
            contest.turn(FULL, rspamds[FULL].port, rspamds[FULL].process.pid, theirs[:FULL_MESSAGES])
    more = {"kind": "mail", "corpus": corpus, **paced(gateway.port, ours)}
    more["mime_share"] = parsing_share(mails, contest.best["mail"])
    for baseline in ("no-op handler", *RSPAMDS):
        if baseline in contest.best:
            runs = {"runs": 1} if baseline == FULL else {}
            yield contest.row("mail", baseline, **more, **runs)
