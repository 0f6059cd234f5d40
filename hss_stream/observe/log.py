"""The log: constant event names with values as fields, one JSON object a line.

Normal operation is quiet: at most one line a batch (at DEBUG), and warnings mean that somebody
should look. Faust's and aiokafka's own messages come out in the same form.
"""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Literal

Event = Literal[
    "batch_done",
    "partitions_assigned",
    "partitions_revoked",
    "store_went_back",
    "offsets_adopted",
    "store_away",
    "kafka_away",
    "record_failed",
    "dead_letter",
    "label",
    "worker_started",
    "worker_stopping",
    "worker_stopped",
    "worker_stuck",
    "trim_failed",
    "store_does_not_append",
    "health_listening",
    "gateway_started",
    "gateway_stopping",
    "gateway_process_died",
    "tokens_unreadable",
]

_LOGGER = logging.getLogger("hss_stream")
# Faust tells every start and rebalance in many words, also through our subclasses of its services.
_QUIET = ("faust", "mode", "aiokafka", "asyncio", "hss_stream.stream")


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, event, fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "logger": record.name,
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class TextLines(logging.Formatter):
    """The same for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields = " ".join(f"{name}={value}" for name, value in getattr(record, "fields", {}).items())
        trace = "\n" + self.formatException(record.exc_info) if record.exc_info else ""
        return f"{record.levelname.lower():7} {record.getMessage()} {fields}".rstrip() + trace


def set_up_logging(level: str, form: Literal["json", "text"]) -> None:
    """Send everything to stderr in one form; libraries only from WARNING on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(level)))


def debug(event: Event, **fields: object) -> None:
    """Log what only matters when something is being looked into."""
    _LOGGER.debug(event, extra={"fields": fields})


def info(event: Event, **fields: object) -> None:
    """Log a milestone."""
    _LOGGER.info(event, extra={"fields": fields})


def warn(event: Event, *, error: BaseException | None = None, **fields: object) -> None:
    """Log what a person should look at; `error` adds its trace."""
    _LOGGER.warning(event, extra={"fields": fields}, exc_info=error)
