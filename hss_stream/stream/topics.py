"""Every topic, spelled once: its name, how long it keeps what, and how large a record may be."""

from dataclasses import dataclass

DEFAULT_PARTITIONS = 8
MEBIBYTE = 1 << 20
# The largest request a producer of ours makes; the largest record (a dead letter) has to fit.
MAX_REQUEST_BYTES = 9 * MEBIBYTE
_DAY_MS = 86_400_000


@dataclass(frozen=True)
class TopicPlan:
    """How one topic is created."""

    name: str
    compacted: bool
    retention_days: int | None
    max_message_bytes: int
    broker_time: bool = False

    def to_config(self) -> dict[str, str]:
        """Return the topic's settings in Kafka's words."""
        config = {
            "cleanup.policy": "compact" if self.compacted else "delete",
            "max.message.bytes": str(self.max_message_bytes),
        }
        if not self.compacted:
            config["retention.ms"] = str(-1 if self.retention_days is None else self.retention_days * _DAY_MS)
        if self.broker_time:
            config["message.timestamp.type"] = "LogAppendTime"
        return config


@dataclass(frozen=True)
class Topics:
    """The names of all topics under one prefix."""

    prefix: str = "hss."

    @property
    def pages(self) -> str:
        """Pages as fetched: key URL, value body."""
        return f"{self.prefix}pages"

    @property
    def mail(self) -> str:
        """Messages as received."""
        return f"{self.prefix}mail"

    @property
    def labels(self) -> str:
        """What editors and reporters say."""
        return f"{self.prefix}labels"

    @property
    def attachments(self) -> str:
        """Where each page was placed."""
        return f"{self.prefix}attachments"

    @property
    def alerts(self) -> str:
        """What somebody should look at."""
        return f"{self.prefix}alerts"

    @property
    def clusters(self) -> str:
        """What became of each cluster, compacted."""
        return f"{self.prefix}clusters"

    @property
    def nameservers(self) -> str:
        """What became of each provider, compacted."""
        return f"{self.prefix}nameservers"

    @property
    def sites(self) -> str:
        """Evidence re-keyed by provider (internal)."""
        return f"{self.prefix}sites"

    @property
    def dead_letters(self) -> str:
        """What could not be read, and why."""
        return f"{self.prefix}dead-letters"

    def of_event(self, event: str) -> str:
        """Return the topic an event of that name goes to."""
        return {
            "attachment": self.attachments,
            "cluster": self.clusters,
            "alert": self.alerts,
            "nameserver": self.nameservers,
            "lineage": self.nameservers,
            "site": self.sites,
            "dead_letter": self.dead_letters,
        }[event]

    def plans(self) -> list[TopicPlan]:
        """Return how each topic is created."""
        input_bytes = 8 * MEBIBYTE
        return [
            TopicPlan(
                self.pages, compacted=False, retention_days=7, max_message_bytes=input_bytes, broker_time=True
            ),
            TopicPlan(
                self.mail, compacted=False, retention_days=7, max_message_bytes=input_bytes, broker_time=True
            ),
            TopicPlan(
                self.labels,
                compacted=False,
                retention_days=None,
                max_message_bytes=MEBIBYTE,
                broker_time=True,
            ),
            TopicPlan(self.attachments, compacted=False, retention_days=30, max_message_bytes=MEBIBYTE),
            TopicPlan(self.alerts, compacted=False, retention_days=30, max_message_bytes=MEBIBYTE),
            TopicPlan(self.clusters, compacted=True, retention_days=None, max_message_bytes=MEBIBYTE),
            TopicPlan(self.nameservers, compacted=True, retention_days=None, max_message_bytes=MEBIBYTE),
            TopicPlan(self.sites, compacted=False, retention_days=7, max_message_bytes=input_bytes),
            TopicPlan(
                self.dead_letters, compacted=False, retention_days=90, max_message_bytes=MAX_REQUEST_BYTES
            ),
        ]
