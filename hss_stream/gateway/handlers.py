"""What each route does: values in, an answer or a `Problem` out."""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple
from urllib.parse import unquote

import orjson
from prometheus_client import CONTENT_TYPE_LATEST

from hss_stream.gateway.answers import cluster_answer, name_answer, url_answer, verdict_answer
from hss_stream.gateway.at_once import TOOK_BYTES
from hss_stream.gateway.call import Answer, Call, etag_of, json_answer, tag_headers, tagged_answer
from hss_stream.gateway.gathered_reads import noted_keys
from hss_stream.gateway.json_body import parse_json
from hss_stream.gateway.labels import Labels
from hss_stream.gateway.lookups import LookUps
from hss_stream.gateway.models import LookupRequest
from hss_stream.gateway.name_cache import KeptAnswer, NameCache
from hss_stream.gateway.problem import CONTENT_TYPE, Problem
from hss_stream.gateway.queue import WorkQueue
from hss_stream.gateway.response import head_of
from hss_stream.observe.gateway_metrics import GatewayMetrics
from hss_stream.steps.provider_names import provider_of
from hss_stream.verdicts.cluster_id import from_text

MAX_URL = 8192


class Reads(NamedTuple):
    """What a look-up has read, and how many changes there had been when it began."""

    keys: set[bytes]
    changes: int


class Handlers:
    """The handlers of one process and what they share."""

    def __init__(
        self,
        lookups: LookUps,
        labels: Labels,
        queue: WorkQueue,
        names: NameCache,
        metrics: GatewayMetrics,
        hash_subject: Callable[[bytes], str],
        openapi: bytes,
    ) -> None:
        self.label = labels.place
        self._lookups = lookups
        self._queue = queue
        self._names = names
        self._metrics = metrics
        self._hash_subject = hash_subject
        self._openapi = openapi
        self._openapi_tag = etag_of(openapi)

    async def mail(self, call: Call) -> Answer:
        """Look a message up."""
        raw = await call.body("message/rfc822", "application/octet-stream")
        call.subject = raw
        async with self._queue:
            mail, looked = await self._lookups.mail(raw)
        self._note(call, "mail", looked.found.verdict.verdict, degraded=looked.degraded)
        return json_answer(call, verdict_answer(looked, mail.fingerprint))

    async def page(self, call: Call) -> Answer:
        """Look a page up."""
        url = _checked_url(call.query("url", ""))
        nameservers = call.query("nameservers", "").split(",")
        body = await call.body()
        call.subject = body
        async with self._queue:
            content_type = call.headers.get("Content-Type")
            page, looked = await self._lookups.page(body, content_type, url, nameservers)
        self._note(call, "page", looked.found.verdict.verdict, degraded=looked.degraded)
        return json_answer(call, verdict_answer(looked, page.fingerprint))

    async def nameserver(self, call: Call) -> Answer:
        """Look a name server up."""
        call.subject = call.rest.encode("utf-8", "replace")
        if (kept := self._find_kept(call)) is not None:
            return kept
        reads = self._begin()
        name = _checked_name(unquote(call.rest))
        async with self._queue:
            looked = await self._lookups.name(name)
        return self._read_answer(call, "name", name_answer(looked), reads)

    async def url(self, call: Call) -> Answer:
        """Look a URL up."""
        call.subject = call.url.raw_query_string.encode("utf-8", "replace")
        if (kept := self._find_kept(call)) is not None:
            return kept
        reads = self._begin()
        url = _checked_url(call.query("url"))
        if not url:
            raise Problem("bad-value", "the parameter `url` is empty")
        async with self._queue:
            looked = await self._lookups.url(url)
        return self._read_answer(call, "url", url_answer(looked), reads)

    async def cluster(self, call: Call) -> Answer:
        """Look a cluster up."""
        call.subject = call.rest.encode("utf-8", "replace")
        try:
            space, identity = from_text(call.rest)
        except ValueError:
            raise Problem("bad-value", "a cluster id is s, t or m and 16 hex digits") from None
        async with self._queue:
            looked = await self._lookups.cluster(space, identity)
        if looked.degraded:
            self._note(call, "cluster", "unknown", degraded=True)
            raise Problem("not-ready", "the store cannot be asked now", headers={"Retry-After": "1"})
        if looked.found is None:
            raise Problem("not-found", "there is no such cluster, or it has expired")
        body = orjson.dumps(cluster_answer(looked.found, call.rest))
        self._note(call, "cluster", "unknown")
        return tagged_answer(call, body[:-1] + b',"took_ms":', etag_of(body))

    async def lookup(self, call: Call) -> Answer:
        """Look many names and URLs up."""
        body = await call.body("application/json")
        request = parse_json(LookupRequest, body)
        names = [_checked_name(name) for name in request.names]
        urls = [_checked_url(url) for url in request.urls]
        async with self._queue:
            # All at once: their reads go to the store together.
            looked_names = await asyncio.gather(*(self._lookups.name(name) for name in names))
            looked_urls = await asyncio.gather(*(self._lookups.url(url) for url in urls))
        for name in looked_names:
            self._note(call, "name", name.found.verdict.verdict, degraded=name.degraded)
        for url in looked_urls:
            self._note(call, "url", url.found.found.verdict.verdict, degraded=url.degraded)
        took_ms = call.took_ms
        return json_answer(
            call,
            {
                "format": 1,
                "names": [{**name_answer(name), "took_ms": took_ms} for name in looked_names],
                "urls": [{**url_answer(url), "took_ms": took_ms} for url in looked_urls],
                "degraded": call.degraded,
            },
        )

    async def healthz(self, call: Call) -> Answer:
        """Say that the loop turns."""
        del call
        return Answer(b'{"status":"ok","checks":{}}')

    async def readyz(self, call: Call) -> Answer:
        """Say whether look-ups have the store behind them."""
        del call
        is_ready = self._lookups.breaker.is_closed
        content = {
            "status": "ok" if is_ready else "not_ready",
            "checks": {"store": "ok" if is_ready else "it did not answer; verdicts are degraded"},
        }
        headers = {} if is_ready else {"Retry-After": "1"}
        return Answer(orjson.dumps(content), 200 if is_ready else 503, headers=headers)

    async def metrics(self, call: Call) -> Answer:
        """Return the metrics of all processes."""
        del call
        return Answer(self._metrics.to_text(), content_type=CONTENT_TYPE_LATEST)

    async def openapi(self, call: Call) -> Answer:
        """Return the description of this service."""
        if self._openapi_tag in call.headers.get("If-None-Match", ""):
            return Answer(b"", 304, headers={"ETag": self._openapi_tag})
        return Answer(self._openapi, headers={"ETag": self._openapi_tag})

    def _begin(self) -> Reads:
        """Note from now on what a look-up reads, so that its answer can be kept."""
        return Reads(noted_keys() if self._names.has_room else set(), self._names.changes)

    def _find_kept(self, call: Call) -> Answer | None:
        """Return a kept answer to a request that could not be answered at once."""
        kept = self._names.find(call.target, monotonic())
        self._metrics.cache_asked("miss" if kept is None else "hit")
        if kept is None:
            return None
        self._note(call, kept.kind, kept.verdict)
        return tagged_answer(call, kept.body, kept.etag)

    def _read_answer(self, call: Call, kind: str, content: dict[str, object], reads: Reads) -> Answer:
        """Return the answer of a cheap read, and keep it unless it is degraded or may be old already."""
        verdict, degraded = str(content["verdict"]), bool(content["degraded"])
        self._note(call, kind, verdict, degraded=degraded)
        if degraded:
            return json_answer(call, content)
        body = orjson.dumps(content)
        etag = etag_of(body)
        body = body[:-1] + b',"took_ms":'
        if reads.changes == self._names.changes and self._names.has_room:
            subject = "" if call.subject is None else self._hash_subject(call.subject)
            route = "nameserver" if kind == "name" else kind
            head = head_of(Answer(b"", headers=tag_headers(etag)), len(body) + TOOK_BYTES)
            until = self._names.until(monotonic())
            kept = KeptAnswer(head, body, etag, route, kind, verdict, subject, until, reads.keys)
            self._names.keep(call.target, kept)
        return tagged_answer(call, body, etag)

    def _note(self, call: Call, kind: str, verdict: str, *, degraded: bool = False) -> None:
        call.verdict = verdict
        call.degraded = call.degraded or degraded
        self._metrics.lookup_done(kind, verdict, degraded=degraded)


def problem_answer(problem: Problem) -> Answer:
    """Return a problem as an answer."""
    return Answer(problem.to_json(), problem.status, CONTENT_TYPE, problem.headers)


def _checked_name(name: str) -> str:
    try:
        provider_of(name)
    except ValueError:
        raise Problem("bad-value", "a name is a host name or an address, of at most 253 characters") from None
    return name


def _checked_url(url: str) -> str:
    if len(url) > MAX_URL:
        raise Problem("bad-value", f"a URL has at most {MAX_URL} characters")
    return url
