"""What an operator may choose about Kafka and the worker; plain values, no Kafka in here.

They live in this room so that the stream never has to know the whole tree of settings,
which in turn includes them (`hss_stream/settings.py`).
"""

from typing import Literal

from pydantic import BaseModel, Field, SecretStr


class KafkaSettings(BaseModel, frozen=True, extra="forbid"):
    """How to reach Kafka, and how patient to be with it."""

    security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = Field(
        "PLAINTEXT", description="How connections to Kafka are protected."
    )
    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] = Field(
        "SCRAM-SHA-512", description="How to log in, where the protocol says SASL."
    )
    username: str | None = Field(None, description="Name to log in with, where the protocol says SASL.")
    password: SecretStr | None = Field(None, description="Password to log in with.")
    ca_file: str | None = Field(None, description="Certificates to trust (PEM); the system's without it.")
    cert_file: str | None = Field(None, description="Client certificate (PEM), where the broker wants one.")
    key_file: str | None = Field(None, description="Key of the client certificate (PEM).")
    key_password: SecretStr | None = Field(None, description="Password of that key.")
    instance_id: str | None = Field(
        None,
        description="Static group membership: a quick restart under this name causes no rebalance.",
    )
    session_timeout_seconds: float = Field(
        20.0, gt=0, description="Silence after which the group takes a worker for dead."
    )
    request_timeout_seconds: float = Field(
        40.0, gt=0, description="Longest wait for an answer; not below the session timeout."
    )
    compression: Literal["none", "gzip", "lz4", "zstd"] = Field(
        "lz4", description="Compression of what we produce."
    )
    replication: int = Field(1, ge=1, description="Copies of each topic that `topics create` asks for.")


class WorkerSettings(BaseModel, frozen=True, extra="forbid"):
    """How the worker cuts, tries and gives up."""

    signals: Literal["all", "style"] = Field(
        "all", description="What is worked out of a page: `style` alone places about three times as many."
    )
    batch_pages: int = Field(256, ge=1, le=4096, description="Most pages placed in one batch.")
    batch_bytes: int = Field(
        8 << 20, ge=1 << 16, description="Most bytes of bodies in one batch (a larger body goes alone)."
    )
    scan_threads: int = Field(
        2, ge=1, le=64, description="Threads that read pages; kernels run without the GIL."
    )
    attempts: int = Field(
        3,
        ge=1,
        le=100,
        description="Tries of a page whose step raises before it becomes a dead letter (`failed`).",
    )
    drain_seconds: float = Field(
        25.0, gt=0, description="Longest wait for pages in hand when stopping or giving partitions up."
    )
    retry_seconds: float = Field(
        5.0, gt=0, description="Longest pause between tries while Redis or Kafka is away."
    )
    stuck_seconds: float = Field(
        300.0,
        gt=0,
        description="No batch for so long although pages wait: the worker exits, to be restarted.",
    )
    resolve_nameservers: bool = Field(
        default=False,  # the only thing this program would ever ask of the network
        description="Ask the DNS for the name servers of home pages that came without.",
    )
    resolve_seconds: float = Field(2.0, gt=0, le=30, description="Longest wait for one answer of the DNS.")
    adopt_offsets: bool = Field(
        default=False,
        description="Start where the group committed although the store knows nothing of it (a new store).",
    )
