"""The step behind `hss.labels`: what people say, into the clusters of the store."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from hss_stream.observe import log
from hss_stream.observe.metrics import Kind, Metrics
from hss_stream.steps.apply_label import ApplyLabels, LabelResult, LabelToApply
from hss_stream.steps.events import Origin
from hss_stream.steps.place_page import SourceName
from hss_stream.store.page_marks import Partition
from hss_stream.stream.label_sender import FORMAT
from hss_stream.stream.record import RawRecord, RejectedRecordError, check_value
from hss_stream.stream.step import StepResult
from hss_stream.stream.work import OneByOne
from hss_stream.verdicts.label import ROLES

# A fingerprint has 708 characters and a URL may have more; nothing a label could be about is longer.
MAX_FIELD_CHARACTERS = 8192
FIELDS = ("subject", "id", "label", "role", "client", "by", "at", "note")
# What an operator wants to read of; the others are in the metrics, and every label is in its topic.
TOLD = frozenset({"applied", "cleared", "conflict"})


class LabelInput(NamedTuple):
    """A label as its record holds it."""

    offset: int
    at_ms: int
    fields: dict[str, str]


def parse_label_record(record: RawRecord) -> LabelInput:
    """Return the label in a record, or raise RejectedRecordError."""
    try:
        said = orjson.loads(check_value(record.value))
    except orjson.JSONDecodeError:
        raise RejectedRecordError("unreadable", "the label is not JSON") from None
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise RejectedRecordError("unreadable", f"the label is no object of format {FORMAT}")
    fields = {name: said.get(name, "") for name in FIELDS}
    if not all(isinstance(one, str) and len(one) <= MAX_FIELD_CHARACTERS for one in fields.values()):
        text = f"a field of the label is no text of at most {MAX_FIELD_CHARACTERS} characters"
        raise RejectedRecordError("unreadable", text)
    return LabelInput(record.place.offset, record.timestamp_ms, fields)


class LabelStep:
    """Gives labels to `ApplyLabels`."""

    kind: Kind = "label"

    def __init__(self, apply: ApplyLabels, group: str, metrics: Metrics) -> None:
        self._apply = apply
        self._group = group
        self._metrics = metrics

    def open_reader(self) -> OneByOne:
        """Return a reader: a label is one record."""
        return OneByOne(parse_label_record)

    def _source(self, partition: Partition, incarnation: str = "") -> SourceName:
        return SourceName(self._group, partition.topic, partition.partition, incarnation)

    async def open_source(self, partition: Partition, incarnation: str) -> int:
        """Load the pins of a partition; return its fence."""
        return await self._apply.load_pins(self._source(partition, incarnation))

    async def scan(self, partition: Partition, items: Sequence[LabelInput]) -> list[LabelToApply]:
        """Return labels as the step takes them."""
        return [
            LabelToApply(Origin(self._group, *partition, one.offset), one.at_ms, one.fields) for one in items
        ]

    async def place(self, partition: Partition, scanned: Sequence[LabelToApply]) -> list[StepResult]:
        """Apply labels of one partition."""
        del partition
        results = await self._apply(scanned)
        for label, result in zip(scanned, results, strict=True):
            self._tell(label.fields, result)
        return [StepResult(result.outcome, result.events) for result in results]

    def _tell(self, fields: Mapping[str, Any], result: LabelResult) -> None:
        role = fields["role"] if fields["role"] in ROLES else "unknown"
        self._metrics.label_done(role, result.outcome)
        tell = log.info if result.outcome in TOLD else log.debug
        tell(
            "label", outcome=result.outcome, cluster=result.cluster, label=fields["label"], role=role,
            client=fields["client"][:64], origin=result.origin.to_header(), why=result.why,
        )  # fmt: skip

    async def trim(self, committed: Mapping[Partition, int]) -> None:
        """Forget the pins of committed labels."""
        for partition, offset in committed.items():
            await self._apply.trim(self._source(partition), offset)
