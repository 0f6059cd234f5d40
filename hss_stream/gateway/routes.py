"""Every route on one screen: method, path, scope, what goes in, what comes out.

A path that ends in `/` takes one more part: the name or id asked for. Routes without a scope are open.
The server dispatches by this table and OpenAPI is written from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hss_stream.gateway.problem import Problem


@dataclass(frozen=True)
class Route:
    """One route; `handler` is the name of a method of `Handlers`, `answer` the name of a model."""

    method: Literal["GET", "POST"]
    path: str
    handler: str
    scope: Literal["lookup", "label", "admin"] | None
    summary: str
    answer: str
    part: str = ""
    query: tuple[str, ...] = ()  # a trailing `?` marks one that may be missing
    body: tuple[str, ...] = ()
    body_model: str | None = None
    status: int = 200


MAIL = ("message/rfc822", "application/octet-stream")

ROUTES = (
    Route("POST", "/v1/mail", "mail", "lookup", "Look a message up.", "VerdictAnswer", body=MAIL),
    Route("POST", "/v1/page", "page", "lookup", "Look a page up.", "VerdictAnswer",
          query=("url?", "nameservers?"), body=("text/html",)),
    Route("GET", "/v1/nameserver/", "nameserver", "lookup", "Look a name server up.", "NameserverAnswer",
          part="name"),
    Route("GET", "/v1/cluster/", "cluster", "lookup", "Look a cluster up.", "ClusterAnswer", part="id"),
    Route("GET", "/v1/url", "url", "lookup", "Look a URL up, without its page.", "UrlAnswer", query=("url",)),
    Route("POST", "/v1/lookup", "lookup", "lookup", "Look many names and URLs up.", "LookupAnswer",
          body=("application/json",), body_model="LookupRequest"),
    Route("POST", "/v1/labels", "label", "label", "Say what a subject is.", "LabelAnswer", query=("label?",),
          body=("application/json", "message/rfc822"), body_model="LabelRequest", status=202),
    Route("GET", "/healthz", "healthz", None, "Say whether the process is alive.", "HealthAnswer"),
    Route("GET", "/readyz", "readyz", None, "Say whether the store is behind it.", "HealthAnswer"),
    Route("GET", "/metrics", "metrics", "admin", "Metrics for Prometheus.", ""),
    Route("GET", "/openapi.json", "openapi", None, "This description.", ""),
)  # fmt: skip

_EXACT: Mapping[str, tuple[Route, ...]] = {
    path: tuple(route for route in ROUTES if route.path == path)
    for path in {route.path for route in ROUTES if not route.part}
}
_PREFIXES = tuple(route for route in ROUTES if route.part)


def match_route(method: str, path: str) -> tuple[Route, str]:
    """Return the route of a request and the last part of its path; the problem if there is none."""
    wanted = "GET" if method == "HEAD" else method
    routes = _EXACT.get(path)
    rest = ""
    if routes is None:
        for route in _PREFIXES:
            if path.startswith(route.path):
                rest = path[len(route.path) :]
                if rest and "/" not in rest:
                    routes = (route,)
                break
    if not routes:
        raise Problem("not-found", "there is no such path; see /openapi.json")
    for route in routes:
        if route.method == wanted:
            return route, rest
    allowed = ", ".join(route.method for route in routes)
    raise Problem("wrong-method", f"this path takes {allowed}", headers={"Allow": allowed})
