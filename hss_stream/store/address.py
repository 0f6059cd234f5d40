"""Where the store is: `redis://`, `rediss://`, `unix://`, `embedded://`, and what is refused."""

import ssl
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

from hss_stream.errors import SettingsError

DEFAULT_PORT = 6379


@dataclass(frozen=True)
class StoreAddress:
    """A server to connect to: a host and port, or the path of a socket."""

    host: str = ""
    port: int = DEFAULT_PORT
    path: str = ""
    user: str = ""
    password: str = ""
    database: int = 0
    tls: bool = False
    ca_file: str = ""
    certificate: str = ""
    key_file: str = ""

    def __str__(self) -> str:
        """Return the address without its password."""
        scheme = "rediss" if self.tls else "redis"
        where = self.path or f"{self.host}:{self.port}"
        return f"unix://{where}" if self.path else f"{scheme}://{where}/{self.database}"

    def tls_context(self) -> ssl.SSLContext | None:
        """Return how to speak TLS, or None for plain connections."""
        if not self.tls:
            return None
        try:
            context = ssl.create_default_context(cafile=self.ca_file or None)
            if self.certificate:
                context.load_cert_chain(self.certificate, self.key_file or None)
        except OSError as error:
            raise SettingsError(f"reading certificates for {self}: {error}") from error
        return context


def parse_address(url: str) -> StoreAddress:
    """Return the address a URL means; SettingsError when it means none.

    `rediss://` takes `?ca=FILE&cert=FILE&key=FILE`; `unix:///PATH` takes `?db=N`.
    """
    if url.startswith("redis+cluster://"):
        raise SettingsError(
            "opening the store: a Redis Cluster is not supported yet; give redis://host:port of one server"
        )
    parts = urlsplit(url)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    try:
        if parts.scheme == "unix":
            return StoreAddress(
                path=parts.path, user=user, password=password, database=int(query.get("db", "0"))
            )
        if parts.scheme in {"redis", "rediss"}:
            return StoreAddress(
                parts.hostname or "127.0.0.1", parts.port or DEFAULT_PORT, "", user, password,
                int(parts.path.strip("/") or "0"), parts.scheme == "rediss",
                query.get("ca", ""), query.get("cert", ""), query.get("key", ""),
            )  # fmt: skip
    except ValueError as error:
        raise SettingsError(f"opening the store: the address makes no sense: {error}") from error
    raise SettingsError(
        "opening the store: give redis://host:port/db, rediss://…, unix:///path, embedded:///path or memory"
    )
