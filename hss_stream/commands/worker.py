"""`hss-stream worker`: the stream processor."""

import asyncio
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import click
import uvloop

from hss_stream.app import (
    create_worker,
    open_lasting_store,
    open_mail_store,
    open_providers,
    open_text_store,
)
from hss_stream.observe import log
from hss_stream.observe.health import Health, HealthServer
from hss_stream.settings import Settings, load_settings
from hss_stream.signals.page_scan import scan_page
from hss_stream.steps.text_signals import use_text_options
from hss_stream.stream.runner import STOP_SECONDS, Runner

# For closing connections and threads once the stream has stopped.
CLOSE_SECONDS = 10.0


@click.command()
def command() -> None:
    """Place pages and mail from Kafka in clusters and apply labels, until told to stop.

    SIGTERM ends it once the pages in hand are finished.
    Ends with 1 when it cannot go on, so that a supervisor starts it again; nothing is lost by that.
    """
    settings = load_settings()
    settings.require_kafka()
    use_text_options(settings.faketext.to_options())
    log.set_up_logging(settings.log_level, settings.log_format)
    uvloop.run(_work(settings))


def _exit_in(seconds: float) -> None:
    """End the process if it does not end by itself: a supervisor waits for it to start another."""
    timer = threading.Timer(seconds, os._exit, (1,))
    timer.daemon = True
    timer.start()


async def _work(settings: Settings) -> None:
    stop = asyncio.Event()

    def ask_to_stop() -> None:
        stop.set()
        _exit_in(settings.worker.drain_seconds + STOP_SECONDS + CLOSE_SECONDS)

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ask_to_stop)
    store = await open_lasting_store(settings)
    try:
        with ThreadPoolExecutor(settings.worker.scan_threads, "scan") as pool:
            # Load kernels before any page is in hand: a kill meanwhile must not look like the page's doing.
            await asyncio.get_running_loop().run_in_executor(pool, scan_page, b"<p>")
            whole = settings.worker.signals == "all"
            texts = await open_text_store(store) if whole else None
            mails = await open_mail_store(store) if whole else None
            providers = await open_providers(store) if whole else None
            worker = create_worker(settings, store, pool, texts=texts, providers=providers, mails=mails)
            health = Health(worker.metrics)
            server = HealthServer(health, settings.metrics.host, settings.metrics.port)
            log.info("health_listening", host=settings.metrics.host, port=server.port)
            try:
                runner = Runner(worker.stream, settings.worker, health, worker.metrics, worker.ask_store)
                await runner.run(stop)
            finally:
                server.close()
                for opened in (texts, mails, providers):
                    if opened is not None:
                        await opened.close()
    finally:
        _exit_in(CLOSE_SECONDS)
        await store.close()
