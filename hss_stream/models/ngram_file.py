"""A language model as one file (`mapped_file.py`): float32 values of the codes, then uint64 slots.

The header has the shape of the table, the calibration, and facts about the training.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hss_stream.errors import ModelError
from hss_stream.models.mapped_file import FileKind, read_mapped, write_mapped
from hss_stream.signals.fake_text import FEATURES, Calibration, FakeTextModel
from hss_stream.signals.ngram_table import BUCKET_SLOTS, CODES, ORDERS, NgramModel

KIND = FileKind(b"HSSNGRAM", 1, "model")
FILE_NAME = "model.ngrams"
_VALUES_SHAPE = (ORDERS, 4, CODES)
_FEATURE_NAMES = [
    f"{feature.upper.name}/{feature.lower.name} {feature.usual} {feature.least} {feature.most}"
    for feature in FEATURES
]
_VALUES_BYTES = ORDERS * 4 * CODES * 4


@dataclass(frozen=True)
class ModelFile:
    """What a file holds: the model, and what its maker wrote about it."""

    model: FakeTextModel
    facts: dict[str, Any]


def _calibration_to_json(calibration: Calibration | None) -> dict[str, Any] | None:
    if calibration is None:
        return None
    return {
        "features": _FEATURE_NAMES,
        "heads": calibration.heads,
        "lengths": calibration.lengths.tolist(),
        "weights": np.round(calibration.weights, 6).tolist(),
        "spreads": np.round(calibration.spreads, 6).tolist(),
        "min_words_known": calibration.min_words_known,
        "min_pairs_known": calibration.min_pairs_known,
        "max_symbols": calibration.max_symbols,
    }


def _calibration_from_json(header: dict[str, Any] | None) -> Calibration | None:
    if header is None:
        return None
    if header["features"] != _FEATURE_NAMES:
        raise ValueError("its calibration weighs other figures than this program computes")
    calibration = Calibration(
        tuple(header["heads"]),
        np.array(header["lengths"], np.int64),
        np.array(header["weights"], np.float64),
        np.array(header["spreads"], np.float64),
        float(header["min_words_known"]),
        float(header["min_pairs_known"]),
        float(header["max_symbols"]),
    )
    shape = (calibration.lengths.size, len(calibration.heads))
    if calibration.weights.shape != (*shape, len(FEATURES) + 1) or calibration.spreads.shape != shape:
        raise ValueError("its calibration has the wrong shape")
    return calibration


def write_model(path: Path, model: FakeTextModel, facts: dict[str, Any]) -> None:
    """Write a model; the same model and facts give the same bytes."""
    ngrams = model.ngrams
    header = {
        "identity": ngrams.identity,
        "unknown": ngrams.unknown,
        "buckets": ngrams.buckets.tolist(),
        "calibration": _calibration_to_json(model.calibration),
        "facts": facts,
    }
    write_mapped(path, KIND, header, [ngrams.values.astype("<f4"), ngrams.slots.astype("<u8")])


def read_model(path: Path) -> ModelFile:
    """Return the model in a file, mapped into memory; a file that is not exactly right raises ModelError."""
    file = read_mapped(path, KIND)
    header = file.header
    try:
        values = np.frombuffer(file.image, "<f4", ORDERS * 4 * CODES, file.begin).reshape(_VALUES_SHAPE)
        slots = np.frombuffer(file.image, "<u8", offset=file.begin + _VALUES_BYTES)
        buckets = np.array(header["buckets"], np.int64)
        if buckets.shape != (ORDERS, 2) or not _is_a_row(buckets, slots.size):
            raise ValueError("its table has the wrong shape")  # noqa: TRY301 - one message for all that is wrong inside
        ngrams = NgramModel(str(header["identity"]), float(header["unknown"]), buckets, values, slots)
        calibration = _calibration_from_json(header["calibration"])
        return ModelFile(FakeTextModel(ngrams, calibration), dict(header["facts"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"loading model {path}: {error}; train it again with this version") from error


def _is_a_row(buckets: np.ndarray[Any, Any], slots: int) -> bool:
    """Tell whether the orders' buckets follow one another and fill all slots."""
    ends = np.cumsum(buckets[:, 1])
    begins = np.concatenate(([0], ends[:-1]))
    return bool(
        (buckets[:, 1] > 0).all() and (buckets[:, 0] == begins).all() and ends[-1] * BUCKET_SLOTS == slots
    )
