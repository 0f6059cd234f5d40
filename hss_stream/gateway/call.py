"""A request as handlers see it, and what they return."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter

import orjson
import xxhash
from aiohttp import web
from aiohttp.http import RawRequestMessage
from multidict import CIMultiDictProxy
from yarl import URL

from hss_stream.gateway.body import read_body
from hss_stream.gateway.options import GatewaySettings
from hss_stream.gateway.problem import Problem
from hss_stream.gateway.token_file import Token

JSON = "application/json"


@dataclass(slots=True)
class Call:
    """One request. Handlers add what the access line says of it: subject, verdict."""

    method: str
    target: str  # as it was sent
    url: URL
    headers: CIMultiDictProxy[str]
    address: str
    request: web.BaseRequest | None  # None where there can be no body
    limits: GatewaySettings
    token: Token
    rest: str = ""  # what follows the path of the route: the name or id asked for
    started: float = field(default_factory=perf_counter)
    subject: bytes | None = None
    verdict: str | None = None
    degraded: bool = False
    bytes_in: int = 0

    @classmethod
    def of_request(cls, request: web.BaseRequest, limits: GatewaySettings, token: Token) -> "Call":
        """Return the call of a request that may have a body."""
        return cls(
            request.method, request.raw_path, request.rel_url, request.headers, request.remote or "",
            request, limits, token,
        )  # fmt: skip

    @classmethod
    def of_message(
        cls, message: RawRequestMessage, address: str, limits: GatewaySettings, token: Token
    ) -> "Call":
        """Return the call of a request without a body."""
        return cls(message.method, message.path, message.url, message.headers, address, None, limits, token)

    @property
    def took_ms(self) -> float:
        """Milliseconds since the request's headers were complete."""
        return round((perf_counter() - self.started) * 1000, 3)

    @property
    def content_type(self) -> str:
        """The type of the body, without parameters."""
        return "" if self.request is None else self.request.content_type

    async def body(self, *types: str) -> bytes:
        """Return the body, which must be of one of these types (none named: any)."""
        request = self.request
        if request is None:
            raise Problem("bad-request", "a body is needed")
        kind = request.content_type
        if types and kind not in types:
            raise Problem("wrong-type", f"send {' or '.join(types)}", headers={"Accept": ", ".join(types)})
        body = await read_body(request, self.limits.max_body_bytes, self.limits.body_seconds)
        self.bytes_in = len(body)
        return body

    def query(self, name: str, default: str | None = None) -> str:
        """Return a parameter of the query; the problem of a missing one if it has no default."""
        value = self.url.query.get(name, default)
        if value is None:
            raise Problem("bad-request", f"the parameter `{name}` is missing")
        return value


@dataclass(frozen=True, slots=True)
class Answer:
    """What a handler returns: a body and how to send it."""

    body: bytes
    status: int = 200
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)


def json_answer(call: Call, content: Mapping[str, object], status: int = 200) -> Answer:
    """Return content as JSON, with the time it took."""
    return Answer(orjson.dumps({**content, "took_ms": call.took_ms}), status)


def etag_of(body: bytes) -> str:
    """Return the weak entity tag of an answer: of all of it but the time it took."""
    return f'W/"{xxhash.xxh3_64_hexdigest(body)}"'


def tag_headers(etag: str) -> dict[str, str]:
    """Return the headers of an answer that a client may keep and ask about again."""
    return {"ETag": etag, "Cache-Control": "private, no-cache"}


def tagged_answer(call: Call, body: bytes, etag: str) -> Answer:
    """Return a JSON object, which ends in `"took_ms":`, with its tag, or 304 when the client has it."""
    headers = tag_headers(etag)
    if etag in call.headers.get("If-None-Match", ""):
        return Answer(b"", 304, headers=headers)
    return Answer(b"%b%.3f}" % (body, call.took_ms), headers=headers)
