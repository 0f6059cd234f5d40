"""What an operator may choose about the gateway; plain values, no HTTP in here."""

from typing import Self

from pydantic import BaseModel, Field, model_validator


class GatewaySettings(BaseModel, frozen=True, extra="forbid"):
    """Where the look-up service listens, whom it lets in, and how much it takes on."""

    host: str = Field("127.0.0.1", description="Address to listen on; other than loopback needs a token.")
    port: int = Field(8080, ge=0, le=65535, description="Port to listen on; 0 takes a free one and logs it.")
    processes: int = Field(1, ge=1, le=64, description="Processes that share the port.")
    tokens_file: str | None = Field(
        None, description="File of bearer tokens (hashes only), written by `hss-stream tokens`."
    )
    open_metrics: bool = Field(
        default=False, description="Answer `/metrics` without a token even where tokens exist."
    )
    tls_cert_file: str | None = Field(None, description="Certificate of the gateway (PEM); switches TLS on.")
    tls_key_file: str | None = Field(None, description="Key of that certificate (PEM).")
    tls_client_ca_file: str | None = Field(
        None, description="Ask clients for a certificate signed by these authorities (PEM): mutual TLS."
    )
    max_body_bytes: int = Field(
        10 << 20, ge=1024, description="Largest body, as sent and unpacked; larger ones get 413."
    )
    max_header_bytes: int = Field(
        8190, ge=512, description="Longest request line or header; longer ones get 400."
    )
    max_connections: int = Field(
        12_000, ge=8, description="Most connections of a process; further ones get 503 and are closed."
    )
    header_seconds: float = Field(
        5.0, gt=0, description="Longest wait for the rest of a request's headers, then the connection closes."
    )
    body_seconds: float = Field(
        10.0, gt=0, description="Longest wait for the rest of a body, then 408 and the connection closes."
    )
    idle_seconds: float = Field(60.0, gt=0, description="Silence after which a connection is closed.")
    concurrency: int = Field(64, ge=1, description="Look-ups of a process that are worked on at once.")
    queue: int = Field(
        256, ge=0, description="Look-ups of a process that may wait their turn; further ones get 503 at once."
    )
    budget_seconds: float = Field(
        0.3,
        gt=0,
        description="Longest wait for the store in one look-up; after it the answer is `degraded`.",
    )
    breaker_failures: int = Field(
        5, ge=1, description="Failures of the store in a row after which it is not asked for a while."
    )
    breaker_seconds: float = Field(1.0, gt=0, description="How long the store is then left alone.")
    rate_per_second: float = Field(
        2000.0, gt=0, description="Requests a second one token may make, over all processes."
    )
    address_rate_per_second: float = Field(
        4000.0, gt=0, description="Requests a second one address may make, over all processes."
    )
    burst_seconds: float = Field(
        2.0, gt=0, description="How many seconds' worth of requests may come at once."
    )
    cache_names: int = Field(
        50_000, ge=0, description="Answers about names a process keeps; 0 asks the store each time."
    )
    cache_seconds: float = Field(
        10.0,
        gt=0,
        description="Longest time a kept answer lives; a change that the store tells of ends it at once.",
    )

    @model_validator(mode="after")
    def _whole_tls(self) -> Self:
        if (self.tls_cert_file is None) != (self.tls_key_file is None):
            raise ValueError("tls_cert_file and tls_key_file go together")
        if self.tls_client_ca_file is not None and self.tls_cert_file is None:
            raise ValueError("tls_client_ca_file needs tls_cert_file")
        return self
