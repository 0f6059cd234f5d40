"""An answer on its way: written to the connection in one piece.

aiohttp's own responses keep headers in a dictionary that anybody may still change and write them one by one;
ours are ready. `Date` is worked out once a second.
"""

import time
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from http import HTTPStatus

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter

from hss_stream.gateway.call import Answer

SERVER = "hss-stream"
_REASONS = {status.value: status.phrase for status in HTTPStatus}
_WITHOUT_BODY = (204, 304)


class _Clock:
    """The value of `Date`."""

    def __init__(self) -> None:
        self._second = 0
        self._text = b""

    def __call__(self) -> bytes:
        second = int(time.time())
        if second != self._second:
            self._second, self._text = second, formatdate(second, usegmt=True).encode()
        return self._text


http_date = _Clock()


def head_of(answer: Answer, length: int) -> bytes:
    """Return the status line and headers of an answer, up to the value of `Date`, which comes last."""
    lines = [
        f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, '')}",
        f"Content-Type: {answer.content_type}",
        f"Server: {SERVER}",
        *(f"{name}: {value}" for name, value in answer.headers.items() if name != "Connection"),
    ]
    if answer.status not in _WITHOUT_BODY:
        lines.append(f"Content-Length: {length}")
    return "\r\n".join([*lines, "Date: "]).encode("latin-1")


class WholeResponse(web.StreamResponse):
    """An answer for aiohttp, which asks for `prepare`, `write_eof` and whether the connection stays."""

    def __init__(self, answer: Answer, send: Callable[[bytes], Awaitable[None]]) -> None:
        super().__init__(status=answer.status)
        self._answer = answer
        self._send = send

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Write all of it, and wait while the client reads too slowly."""
        answer = self._answer
        body = b"" if request.method == "HEAD" else answer.body
        stays = request.keep_alive and answer.headers.get("Connection") != "close"
        self._keep_alive = stays
        ending = b"\r\n\r\n" if stays else b"\r\nConnection: close\r\n\r\n"
        if stays and request.version < (1, 1):
            ending = b"\r\nConnection: keep-alive\r\n\r\n"
        await self._send(b"".join((head_of(answer, len(answer.body)), http_date(), ending, body)))
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        """Do nothing: all is written."""
