"""The server's promises to every client, whatever the route."""

import json

import pytest

from hss_stream.gateway.models import HealthAnswer, NameserverAnswer, ProblemAnswer, UrlAnswer, VerdictAnswer
from hss_stream.observe.gateway_metrics import GatewayMetrics
from hss_stream.store.failures import StoreAwayError
from hss_stream.store.memory import MemoryClusterStore
from tests.unit.gateway.running import running

MESSAGE = b"Subject: hello\r\nContent-Type: text/plain\r\n\r\nSome words of a secret message.\r\n"
MAIL = {"Content-Type": "message/rfc822"}
HTML = {"Content-Type": "text/html"}
JSON = {"Content-Type": "application/json"}


class AwayStore(MemoryClusterStore):
    """A store that can be taken away."""

    away = True

    async def read_clocks(self):
        """Answer, unless away."""
        if self.away:
            raise StoreAwayError("reading clocks: not there")
        return await super().read_clocks()

    async def read_domains(self, domains):
        """Answer, unless away."""
        if self.away:
            raise StoreAwayError("reading domains: not there")
        return await super().read_domains(domains)


async def test_answers_keep_their_models():
    """Every look-up answers in the shape OpenAPI promises."""
    async with running() as gateway:
        for model, method, path, options in [
            (VerdictAnswer, "POST", "/v1/mail", {"data": MESSAGE, "headers": MAIL}),
            (VerdictAnswer, "POST", "/v1/page?url=http://a.example/", {"data": b"<p>x", "headers": HTML}),
            (NameserverAnswer, "GET", "/v1/nameserver/ns1.Example.NET.", {}),
            (UrlAnswer, "GET", "/v1/url?url=http://a.example/x", {}),
            (HealthAnswer, "GET", "/healthz", {}),
            (HealthAnswer, "GET", "/readyz", {}),
        ]:  # fmt: skip
            status, _, answer = await gateway.call(method, path, **options)

            assert 200 == status, path
            model.model_validate(answer)


@pytest.mark.parametrize(
    ("method", "path", "options", "status", "code"),
    [
        ("GET", "/nothing", {}, 404, "not-found"),
        ("GET", "/v1/nameserver/", {}, 404, "not-found"),
        ("GET", "/v1/nameserver/a/b", {}, 404, "not-found"),
        ("GET", "/v1/nameserver/-bad-", {}, 422, "bad-value"),
        ("GET", "/v1/cluster/s12", {}, 422, "bad-value"),
        ("GET", "/v1/cluster/s00000000000000ff", {}, 404, "not-found"),
        ("GET", "/v1/url", {}, 400, "bad-request"),
        ("DELETE", "/v1/mail", {}, 405, "wrong-method"),
        ("POST", "/v1/mail", {"data": b"x", "headers": {"Content-Type": "text/csv"}}, 415, "wrong-type"),
        ("POST", "/v1/lookup", {"data": b"{", "headers": JSON}, 400, "bad-request"),
        ("POST", "/v1/lookup", {"json": {"names": []}}, 422, "bad-value"),
        ("POST", "/v1/lookup", {"json": {"names": ["x" * 300]}}, 422, "bad-value"),
    ],
)  # fmt: skip
async def test_errors_have_one_shape(method, path, options, status, code):
    """Every error is a problem of RFC 9457 with a stable type."""
    async with running() as gateway:
        answered, headers, problem = await gateway.call(method, path, **options)

        assert (status, "application/problem+json") == (answered, headers["Content-Type"])
        assert f"urn:hss:problem:{code}" == ProblemAnswer.model_validate(problem).type


async def test_unchanged_answer_is_not_sent_again():
    """A client that has the answer hears 304 and no body."""
    async with running() as gateway:
        _, headers, _ = await gateway.get("/v1/nameserver/ns1.example.net")
        again = {"If-None-Match": headers["ETag"]}

        status, _, body = await gateway.get("/v1/nameserver/ns1.example.net", headers=again)

        assert (304, "") == (status, body)
        assert 1 == gateway.metric("hss_gateway_cache_total", outcome="hit")


async def test_store_away_is_degraded_not_an_error():
    """Without the store the answer is `unknown` and says so, readiness is false, and both heal alone."""
    store = AwayStore()
    async with running(store, breaker_failures=1, breaker_seconds=0.01) as gateway:
        status, _, answer = await gateway.get("/v1/url?url=http://a.example/")
        ready, _, _ = await gateway.get("/readyz")

        assert (200, "unknown", True, 503) == (status, answer["verdict"], answer["degraded"], ready)
        assert gateway.metric("hss_gateway_degraded_total", kind="url") == 1

        store.away = False
        while (await gateway.get("/v1/url?url=http://a.example/"))[2]["degraded"]:
            pass
        ready, _, _ = await gateway.get("/readyz")

        assert 200 == ready


async def test_access_line_holds_hashes_only():
    """A line says how a request ended, and nothing that was in it."""
    async with running() as gateway:
        await gateway.call("POST", "/v1/mail", data=MESSAGE, headers=MAIL)
        await gateway.get("/v1/url?url=http://private.example/secret")
        lines = gateway.lines()

        assert ["mail", "url"] == [json.loads(line)["route"] for line in lines]
        assert not any(word in "".join(lines) for word in ("secret", "private", "hello", "127.0.0.1"))


async def test_many_are_looked_up_at_once():
    """One request may ask for many names and URLs, answered in order."""
    async with running() as gateway:
        request = {"names": ["ns1.b.example", "ns.a.example"], "urls": ["http://c.example/"]}
        _, _, answer = await gateway.call("POST", "/v1/lookup", json=request)

        assert ["b.example", "a.example"] == [name["provider"] for name in answer["names"]]
        assert ["c.example"] == [url["domain"] for url in answer["urls"]]


async def test_head_is_answered_like_get():
    """A probe may ask for the headers alone."""
    async with running() as gateway:
        status, headers, body = await gateway.call("HEAD", "/healthz")

        assert (200, "", "hss-stream") == (status, body, headers["Server"])


def test_bundled_times_are_the_histogram_s_own():
    """Times handed over in a bundle make the histogram that single observations would make."""
    metrics, plain = GatewayMetrics(), GatewayMetrics()
    for seconds in (0.0, 0.0005, 0.0006, 0.3, 99.0):
        metrics.request_done("url", 200, seconds)
        plain._seconds.labels("url").observe(seconds)
    plain._requests.labels("url", 200).inc(5)

    def values(one):
        lines = one.to_text().decode().splitlines()
        return [line for line in lines if "_created" not in line]

    assert values(plain) == values(metrics)
