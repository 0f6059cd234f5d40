"""The client, to be awaited; `make docs` writes `synchronous.py` from this file."""

from types import TracebackType
from typing import Self

from hss_stream.client import calls
from hss_stream.client.transport import AsyncTransport
from hss_stream.gateway.models import (
    ClusterAnswer,
    LabelAnswer,
    LabelName,
    LabelRequest,
    LookupAnswer,
    LookupRequest,
    NameserverAnswer,
    UrlAnswer,
    VerdictAnswer,
)


class AsyncClient:
    """Asks a gateway; every method may raise GatewayProblem (it refused) or GatewayError (it is away).

    A mail gateway should catch both and go on: it asks for advice, not for permission.
    """

    def __init__(
        self, url: str = "http://127.0.0.1:8080", *, token: str | None = None, seconds: float = 2.0
    ) -> None:
        self._transport = AsyncTransport(url, token, seconds)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let connections go."""
        await self._transport.close()

    async def mail(self, raw: bytes) -> VerdictAnswer:
        """Look a message up."""
        question = calls.mail_question(raw)
        return question.read(await self._transport.ask(question))

    async def page(self, body: bytes, *, url: str = "", content_type: str = "text/html") -> VerdictAnswer:
        """Look a page up."""
        question = calls.page_question(body, url, content_type)
        return question.read(await self._transport.ask(question))

    async def nameserver(self, name: str) -> NameserverAnswer:
        """Look a name server up."""
        question = calls.nameserver_question(name)
        return question.read(await self._transport.ask(question))

    async def url(self, url: str) -> UrlAnswer:
        """Look a URL up, without its page."""
        question = calls.url_question(url)
        return question.read(await self._transport.ask(question))

    async def cluster(self, identity: str) -> ClusterAnswer:
        """Look a cluster up."""
        question = calls.cluster_question(identity)
        return question.read(await self._transport.ask(question))

    async def lookup(self, *, names: list[str] | None = None, urls: list[str] | None = None) -> LookupAnswer:
        """Look many names and URLs up."""
        question = calls.lookup_question(LookupRequest(names=names or [], urls=urls or []))
        return question.read(await self._transport.ask(question))

    async def label(self, request: LabelRequest) -> LabelAnswer:
        """Say what a subject is."""
        question = calls.label_question(request)
        return question.read(await self._transport.ask(question))

    async def label_mail(self, raw: bytes, label: LabelName) -> LabelAnswer:
        """Say what a message is."""
        question = calls.label_mail_question(raw, label)
        return question.read(await self._transport.ask(question))
