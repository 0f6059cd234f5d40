"""A typed client of the gateway: `Client` waits, `AsyncClient` is awaited; both from one source."""

from hss_stream.client.asynchronous import AsyncClient
from hss_stream.client.calls import GatewayError, GatewayProblem
from hss_stream.client.synchronous import Client

__all__ = ["AsyncClient", "Client", "GatewayError", "GatewayProblem"]
