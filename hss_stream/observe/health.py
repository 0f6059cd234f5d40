"""`/metrics`, `/healthz` and `/readyz`, answered from a thread of their own.

The loop may be busy with pages for a while; a probe must not wait for it. `/healthz` says whether
the loop still turns, `/readyz` whether pages are being placed, and if not, why.
"""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from hss_stream.observe.metrics import Metrics

# A loop that has not turned for so long is dead; batches hold it for milliseconds.
DEAD_SECONDS = 60.0


class Health:
    """What probes are told; written by the loop, read by the server's threads."""

    def __init__(self, metrics: Metrics) -> None:
        self.metrics = metrics
        self._turned_at = monotonic()
        self._why_not_ready = "starting"

    def loop_turned(self) -> None:
        """Note that the loop is alive."""
        self._turned_at = monotonic()

    def not_ready(self, why: str) -> None:
        """Set why no pages are placed now; empty means ready."""
        self._why_not_ready = why
        self.metrics.ready_is(ready=not why)

    def answer(self, path: str) -> tuple[int, str, bytes]:
        """Return status, content type and body of a request."""
        if path == "/metrics":
            return 200, CONTENT_TYPE_LATEST, generate_latest(self.metrics.registry)
        if path == "/healthz":
            alive = monotonic() - self._turned_at < DEAD_SECONDS
            return (200, "text/plain", b"ok\n") if alive else (503, "text/plain", b"the loop does not turn\n")
        if path == "/readyz":
            why = self._why_not_ready
            return (503, "text/plain", f"{why}\n".encode()) if why else (200, "text/plain", b"ok\n")
        return 404, "text/plain", b"there is /metrics, /healthz and /readyz\n"


class HealthServer:
    """Serves a Health on an address until it is closed."""

    def __init__(self, health: Health, host: str, port: int) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, kind, body = health.answer(self.path.partition("?")[0])
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
                """Probes are not worth a line."""

        self._server = ThreadingHTTPServer((host, port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, name="health", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
