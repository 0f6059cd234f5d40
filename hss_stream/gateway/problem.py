"""One shape for every error: `application/problem+json` (RFC 9457).

A handler raises a `Problem`; the server turns it into an answer. The text never repeats what the client
sent, so that nothing of a subject and no secret can come back through an error or a log.
"""

from collections.abc import Mapping

import orjson

from hss_stream.errors import HssError

CONTENT_TYPE = "application/problem+json"

# code → (status, title). The code ends the `type` of the problem and is stable; docs/http-api.md lists all.
PROBLEMS: Mapping[str, tuple[int, str]] = {
    "bad-request": (400, "The request cannot be read"),
    "no-token": (401, "A valid bearer token is needed"),
    "not-allowed": (403, "The token lacks the scope for this"),
    "not-found": (404, "There is no such thing"),
    "wrong-method": (405, "This path takes other methods"),
    "too-slow": (408, "The request did not arrive in time"),
    "cannot-label": (409, "This label cannot be placed"),
    "too-large": (413, "The body is too large"),
    "wrong-type": (415, "The body is of a type this path does not take"),
    "bad-value": (422, "A value of the request makes no sense"),
    "too-many": (429, "Too many requests"),
    "failed": (500, "The gateway failed"),
    "overloaded": (503, "The gateway has too much to do"),
    "not-ready": (503, "The gateway is not ready"),
}


class Problem(HssError):  # noqa: N818 - the word of RFC 9457
    """A request that cannot be answered as asked."""

    def __init__(self, code: str, detail: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.status, self.title = PROBLEMS[code]
        self.headers = dict(headers or {})

    def to_json(self) -> bytes:
        """Return the body of the answer."""
        return orjson.dumps(
            {
                "type": f"urn:hss:problem:{self.code}",
                "title": self.title,
                "status": self.status,
                "detail": self.detail,
            }
        )
