"""The two ways to the gateway: one that waits, one that can be awaited."""

import http.client
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from hss_stream.client.calls import GatewayError, Question, Reply
from hss_stream.errors import SettingsError


def _away(url: str, error: Exception) -> GatewayError:
    return GatewayError(f"asking the gateway at {url}: {error or type(error).__name__}; is it running?")


def _headers(question: Question[Any], token: str | None) -> dict[str, str]:
    return {**question.headers, **({"Authorization": f"Bearer {token}"} if token else {})}


class Transport:
    """Asks over one connection that is kept; for one thread."""

    def __init__(self, url: str, token: str | None, seconds: float) -> None:
        parts = urlsplit(url)
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        if parts.scheme not in kinds or not parts.hostname:
            raise SettingsError(f"reading the gateway's address: {url} is none; give http://host:port")
        self._url = url
        self._token = token
        self._connection = kinds[parts.scheme](parts.hostname, parts.port, timeout=seconds)

    def ask(self, question: Question[Any]) -> Reply:
        """Return the reply; asks again once when the kept connection turns out to be closed."""
        for last in (False, True):
            try:
                return self._ask_once(question)
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError) as error:
                self._connection.close()
                if last:
                    raise _away(self._url, error) from error
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                raise _away(self._url, error) from error
        raise AssertionError  # the loop returns or raises

    def _ask_once(self, question: Question[Any]) -> Reply:
        headers = _headers(question, self._token)
        self._connection.request(question.method, question.path, question.body, headers)
        answer = self._connection.getresponse()
        return Reply(answer.status, answer.read(), answer.headers.get("Retry-After"))

    def close(self) -> None:
        """Let the connection go."""
        self._connection.close()


class AsyncTransport:
    """Asks over aiohttp's connections."""

    def __init__(self, url: str, token: str | None, seconds: float) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._timeout = aiohttp.ClientTimeout(total=seconds)
        self._session: aiohttp.ClientSession | None = None

    async def ask(self, question: Question[Any]) -> Reply:
        """Return the reply."""
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=self._timeout)
        headers = _headers(question, self._token)
        try:
            async with self._session.request(
                question.method, self._url + question.path, data=question.body, headers=headers
            ) as answer:
                return Reply(answer.status, await answer.read(), answer.headers.get("Retry-After"))
        except (TimeoutError, aiohttp.ClientError, ValueError) as error:
            raise _away(self._url, error) from error

    async def close(self) -> None:
        """Let the connections go."""
        if self._session is not None:
            await self._session.close()
