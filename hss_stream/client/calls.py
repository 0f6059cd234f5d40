"""What the client asks and how it reads the answers: no network in here, so both clients share it."""

import json
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from urllib.parse import quote, urlencode

from pydantic import BaseModel, ValidationError

from hss_stream.errors import HssError
from hss_stream.gateway.models import (
    ClusterAnswer,
    LabelAnswer,
    LabelRequest,
    LookupAnswer,
    LookupRequest,
    NameserverAnswer,
    UrlAnswer,
    VerdictAnswer,
)

Answer = TypeVar("Answer", bound=BaseModel)


class GatewayError(HssError):
    """The gateway could not be asked, or answered something that is none."""


class GatewayProblem(GatewayError):  # noqa: N818 - the word of RFC 9457
    """The gateway refused: `code` ends the type of the problem, `retry_after` is in seconds if it said so."""

    def __init__(self, status: int, code: str, detail: str, retry_after: float | None = None) -> None:
        super().__init__(f"asking the gateway: {detail} ({code}, HTTP {status})")
        self.status = status
        self.code = code
        self.retry_after = retry_after


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    body: bytes
    retry_after: str | None = None


@dataclass(frozen=True)
class Question(Generic[Answer]):
    """One request and the model of its answer."""

    method: str
    path: str
    answer: type[Answer]
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def read(self, reply: Reply) -> Answer:
        """Return the answer; GatewayProblem when it is a refusal, GatewayError when it makes no sense."""
        if reply.status >= 400:
            raise _problem(reply)
        try:
            return self.answer.model_validate_json(reply.body)
        except ValidationError:
            raise GatewayError(
                f"asking the gateway: its answer (HTTP {reply.status}) makes no sense; is that our gateway?"
            ) from None


def _problem(reply: Reply) -> GatewayProblem:
    try:
        content = json.loads(reply.body)
        code, detail = str(content["type"]).rpartition(":")[2], str(content["detail"])
    except (ValueError, KeyError, TypeError):
        code, detail = "unknown", "it failed"
    wait = reply.retry_after
    return GatewayProblem(reply.status, code, detail, float(wait) if wait and wait.isdigit() else None)


def mail_question(raw: bytes) -> Question[VerdictAnswer]:
    """Ask about a message."""
    return Question("POST", "/v1/mail", VerdictAnswer, raw, {"Content-Type": "message/rfc822"})


def page_question(body: bytes, url: str, content_type: str) -> Question[VerdictAnswer]:
    """Ask about a page."""
    path = f"/v1/page?{urlencode({'url': url})}" if url else "/v1/page"
    return Question("POST", path, VerdictAnswer, body, {"Content-Type": content_type})


def nameserver_question(name: str) -> Question[NameserverAnswer]:
    """Ask about a name server."""
    return Question("GET", f"/v1/nameserver/{quote(name, safe='')}", NameserverAnswer)


def url_question(url: str) -> Question[UrlAnswer]:
    """Ask about a URL."""
    return Question("GET", f"/v1/url?{urlencode({'url': url})}", UrlAnswer)


def cluster_question(identity: str) -> Question[ClusterAnswer]:
    """Ask about a cluster."""
    return Question("GET", f"/v1/cluster/{quote(identity, safe='')}", ClusterAnswer)


def lookup_question(request: LookupRequest) -> Question[LookupAnswer]:
    """Ask about many names and URLs."""
    return _json_question("/v1/lookup", LookupAnswer, request)


def label_question(request: LabelRequest) -> Question[LabelAnswer]:
    """Say what a subject is."""
    return _json_question("/v1/labels", LabelAnswer, request)


def label_mail_question(raw: bytes, label: str) -> Question[LabelAnswer]:
    """Say what a message is."""
    path = f"/v1/labels?{urlencode({'label': label})}"
    return Question("POST", path, LabelAnswer, raw, {"Content-Type": "message/rfc822"})


def _json_question(path: str, answer: type[Answer], request: BaseModel) -> Question[Answer]:
    body = request.model_dump_json().encode()
    return Question("POST", path, answer, body, {"Content-Type": "application/json"})
