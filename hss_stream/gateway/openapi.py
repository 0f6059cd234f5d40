"""OpenAPI 3.1, written from the table of routes and the models; a test compares docs/openapi.json with it."""

from typing import Any

import orjson

from hss_stream import __version__
from hss_stream.gateway.models import to_schemas
from hss_stream.gateway.problem import CONTENT_TYPE, PROBLEMS
from hss_stream.gateway.routes import ROUTES, Route

_BINARY: dict[str, Any] = {"type": "string", "contentEncoding": "binary"}


def _reference(model: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{model}"}


def _parameters(route: Route) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if route.part:
        found.append({"name": route.part, "in": "path", "required": True, "schema": {"type": "string"}})
    for name in route.query:
        schema: dict[str, Any] = {"type": "string"}
        if name == "label?":
            schema["enum"] = ["spam", "ham", "none"]
        if name.rstrip("?") == "url":
            schema["maxLength"] = 8192
        found.append(
            {"name": name.rstrip("?"), "in": "query", "required": not name.endswith("?"), "schema": schema}
        )
    return found


def _responses(route: Route) -> dict[str, Any]:
    kind = "application/json" if route.answer or route.path.endswith(".json") else "text/plain"
    schema = _reference(route.answer) if route.answer else {}
    found: dict[str, Any] = {
        str(route.status): {"description": "The answer.", "content": {kind: {"schema": schema}}}
    }
    if route.handler == "readyz":
        found["503"] = {"description": "Not ready.", "content": {kind: {"schema": schema}}}
    if route.handler in {"nameserver", "cluster", "url", "openapi"}:
        found["304"] = {"description": "The client has this answer."}
    found["default"] = {
        "description": "A problem (RFC 9457).",
        "content": {CONTENT_TYPE: {"schema": _reference("ProblemAnswer")}},
    }
    return found


def _operation(route: Route) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.handler,
        "summary": route.summary,
        "parameters": _parameters(route),
        "responses": _responses(route),
        "security": [{"token": [route.scope]}] if route.scope else [],
    }
    if route.body:
        content: dict[str, Any] = {
            kind: {"schema": _reference(route.body_model) if route.body_model and "json" in kind else _BINARY}
            for kind in route.body
        }
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def to_openapi() -> dict[str, Any]:
    """Return the description of the whole service."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        path = f"{route.path}{{{route.part}}}" if route.part else route.path
        paths.setdefault(path, {})[route.method.lower()] = _operation(route)
    codes = "; ".join(f"`{code}` {status}" for code, (status, _) in PROBLEMS.items())
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "hss_stream gateway",
            "version": __version__,
            "description": f"Look messages, pages and names up. Problems end in one of: {codes}.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": to_schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def to_bytes() -> bytes:
    """Return the description as it is served and kept in docs/openapi.json."""
    return orjson.dumps(to_openapi(), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"
