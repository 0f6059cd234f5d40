"""The signals of a text that placing and judging need: fake text, and I-Match signatures.

Pure but for the models, which are loaded once (`text_signals.py`). What cannot be computed is None.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hss_stream.steps.text_signals import Missing, faketext_block, imatch_block
from hss_stream.verdicts.evidence import FakeText
from hss_stream.verdicts.fake_sums import FakeSums, page_sums
from hss_stream.verdicts.text_match import NULL_SIGNATURE, computed_coordinates, text_sketch

MAX_SPANS = 3


@dataclass(frozen=True)
class TextSignals:
    """What is known of a text; `imatch` and `faketext` as `score` prints them."""

    imatch: dict[str, Any] | None = None
    faketext: dict[str, Any] | None = None

    def fake_text(self) -> FakeText | None:
        """Return the language model's word as verdicts take it."""
        block = self.faketext
        if block is None:
            return None
        return FakeText(
            block["verdict"], block["tokens"], block["fakeness"] or 0.0, tuple(self.worst_spans())
        )

    def worst_spans(self) -> list[str]:
        """Return the worst passages of the text, worst first."""
        spans = (self.faketext or {}).get("spans") or []
        return [span["text"] for span in spans[:MAX_SPANS]]

    def fake_sums(self) -> FakeSums:
        """Return what this text adds to the sums of its host and cluster."""
        block = self.faketext
        return (
            FakeSums() if block is None else page_sums(block["verdict"], block["tokens"], block["fakeness"])
        )

    def signatures(self) -> tuple[int, ...]:
        """Return the 11 signatures, 0 where null; none without a lexicon."""
        return self._signatures

    @cached_property
    def _signatures(self) -> tuple[int, ...]:
        if self.imatch is None:
            return ()
        return tuple(int(one, 16) if one else NULL_SIGNATURE for one in self.imatch["signatures"])

    def coordinates(self) -> int:
        """Return how many signatures could be computed."""
        return computed_coordinates(self.signatures())

    def sketch(self) -> bytes | None:
        """Return the text's sketch for the text and mail spaces; None when there is too little text."""
        signatures = self.signatures()
        if self.imatch is None or not computed_coordinates(signatures):
            return None
        return text_sketch(int(self.imatch["lexicon"], 16), signatures)

    def shown_faketext(self) -> dict[str, Any] | None:
        """Return the block of fake text as events carry it: without spans."""
        if self.faketext is None:
            return None
        return {name: value for name, value in self.faketext.items() if name != "spans"}


ReadSignals = Callable[[bytes], TextSignals]


def read_signals(text: bytes) -> TextSignals:
    """Return the signals of a text."""
    imatch, faketext = imatch_block(text), faketext_block(text)
    return TextSignals(
        None if isinstance(imatch, Missing) else imatch,
        None if isinstance(faketext, Missing) else faketext,
    )
