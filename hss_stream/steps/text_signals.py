"""The one place where the signals of text plug into `score` and `compare`.

Each function takes the visible text of a page or message (UTF-8) and gives its block of the JSON answer, or
`Missing` with the reason. Loading a model belongs into the function that needs it, behind a cache.
"""

import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hss_stream.models.lexicon_file import load_lexicon
from hss_stream.models.shipped_model import load_model
from hss_stream.signals.fake_text import MAX_TOKENS, FakeTextScore, FakeTextScorer
from hss_stream.signals.fingerprint import FingerprintKind, make_fingerprint
from hss_stream.signals.imatch import NULL, Signatures, Signer, matching_signatures
from hss_stream.signals.words import WordHasher

Block = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Missing:
    """A block that could not be computed, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class TextOptions:
    """How text is read; `model` is the path of a language model instead of the shipped one."""

    max_tokens: int = MAX_TOKENS
    model: Path | None = None


class _Scratch(threading.local):
    """What signing and scoring need, once a thread."""

    def __init__(self, options: TextOptions) -> None:
        self.hasher = WordHasher()
        self.signer = Signer(load_lexicon())
        self.scorer = FakeTextScorer(load_model(options.model).model, options.max_tokens)


class _Reader:
    """What this process reads texts with: made when first needed, made anew when options change."""

    def __init__(self) -> None:
        self._options = TextOptions()
        self._scratch: _Scratch | None = None

    def use(self, options: TextOptions) -> None:
        if options != self._options:
            self._options, self._scratch = options, None

    def scratch(self) -> _Scratch:
        if self._scratch is None:
            self._scratch = _Scratch(self._options)
        return self._scratch


_reader = _Reader()
_scratch = _reader.scratch


def use_text_options(options: TextOptions) -> None:
    """Read texts in this way from now on; ModelError when the model cannot be used."""
    _reader.use(options)
    _reader.scratch()


def sign_text(text: bytes) -> Signatures:
    """Return the signatures of a text under the shipped lexicon."""
    scratch = _scratch()
    return scratch.signer.sign(scratch.hasher.hash(text))


def imatch_block(text: bytes, hidden_bytes: int = 0) -> Block:
    """Return I-Match's block: lexicon, terms, 11 signatures, and the bytes of hidden text left out."""
    signatures = sign_text(text)
    return {
        "lexicon": f"{signatures.lexicon:016x}",
        "terms": signatures.terms,
        "signatures": signatures.to_hex(),
        "hidden_bytes": hidden_bytes,
    }


def score_fake_text(text: bytes) -> FakeTextScore:
    """Return what the language model says of a text."""
    return _scratch().scorer.score(text)


def faketext_block(text: bytes) -> Block:
    """Return the block of fake text: perplexities, penalties, verdict, worst spans of a fake text."""
    score = score_fake_text(text)
    spans = _scratch().scorer.worst_spans(text) if score.verdict == "fake" else []
    # Its fields are plain values: `asdict` would copy each of them deeply.
    return {**vars(score), "spans": [asdict(span) for span in spans]}


def fingerprint_of(kind: FingerprintKind, text: bytes, sketch: bytes | None) -> str:
    """Return the fingerprint of a page or message as hex: format, kind, lexicon id, signatures, sketch."""
    return make_fingerprint(kind, sign_text(text), sketch).to_hex()


def imatch_comparison(text: bytes, other: bytes) -> Block | Missing:
    """Return how many signatures two texts share, of those that both have."""
    one, two = sign_text(text), sign_text(other)
    if not one.computed or not two.computed:
        return Missing("too little text")
    both = sum(first != NULL != second for first, second in zip(one.values, two.values, strict=True))
    matching = matching_signatures(one, two)
    return {"matching": matching, "of": both, "same": matching > 0}
