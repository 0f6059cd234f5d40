"""A language model as one file that is mapped into memory, so that all processes share one copy.

    0   8 bytes   HSSNGRAM
    8   uint32    format, 1
    12  uint32    bytes of the header
    16  uint64    bytes of the file
    24  uint64    XXH3-64 of everything from byte 32 on
    32  header    JSON: shape of the table, calibration, facts about the training
        float32   values of the codes, from the next multiple of 64 on
        uint64    slots

All numbers are little-endian. Loading reads and checks every byte: milliseconds for 25 MB.
"""

import json
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from hss_stream.errors import ModelError
from hss_stream.signals.fake_text import FEATURES, Calibration, FakeTextModel
from hss_stream.signals.ngram_table import BUCKET_SLOTS, CODES, ORDERS, NgramModel

MAGIC = b"HSSNGRAM"
FORMAT = 1
FILE_NAME = "model.ngrams"
_PREFIX = struct.Struct("<8sIIQQ")
_ALIGNMENT = 64
_VALUES_SHAPE = (ORDERS, 4, CODES)
_FEATURE_NAMES = [f"{feature.upper.name}/{feature.lower.name}<{feature.cap}" for feature in FEATURES]
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
    header = json.dumps(
        {
            "identity": ngrams.identity,
            "unknown": ngrams.unknown,
            "buckets": ngrams.buckets.tolist(),
            "calibration": _calibration_to_json(model.calibration),
            "facts": facts,
        },
        sort_keys=True,
    ).encode()
    gap = -(_PREFIX.size + len(header)) % _ALIGNMENT
    rest = b"".join(
        (
            header,
            bytes(gap),
            ngrams.values.astype("<f4").tobytes(),
            ngrams.slots.astype("<u8").tobytes(),
        )
    )
    prefix = _PREFIX.pack(
        MAGIC, FORMAT, len(header), _PREFIX.size + len(rest), xxhash.xxh3_64_intdigest(rest)
    )
    path.write_bytes(prefix + rest)


def _checked_header(path: Path, image: mmap.mmap) -> tuple[dict[str, Any], int]:
    """Return the header and where the arrays begin, after checking every byte of the file."""
    refuse = f"loading model {path}: "
    magic, number, header_bytes, size, digest = _PREFIX.unpack_from(image)
    if magic != MAGIC:
        raise ModelError(f"{refuse}this is no n-gram model; make one with `hss-stream train model`")
    if number != FORMAT:
        raise ModelError(f"{refuse}format {number} is not {FORMAT}; train it again with this version")
    if size != len(image):
        raise ModelError(f"{refuse}it has {len(image)} of {size} bytes; copy it again")
    with memoryview(image) as view, view[_PREFIX.size :] as rest:
        if xxhash.xxh3_64_intdigest(rest) != digest:
            raise ModelError(f"{refuse}its checksum is wrong, so it is damaged; copy it again")
    try:
        header = json.loads(image[_PREFIX.size : _PREFIX.size + header_bytes])
    except ValueError as error:
        raise ModelError(f"{refuse}its header is no JSON; train it again") from error
    begin = _PREFIX.size + header_bytes
    return header, begin + -begin % _ALIGNMENT


def read_model(path: Path) -> ModelFile:
    """Return the model in a file, mapped into memory; a file that is not exactly right raises ModelError."""
    try:
        with path.open("rb") as file:
            image = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise ModelError(f"loading model {path}: {error}; give the path of a model file") from error
    if len(image) < _PREFIX.size:
        raise ModelError(f"loading model {path}: it is cut off; copy it again")
    header, begin = _checked_header(path, image)
    try:
        values = np.frombuffer(image, "<f4", ORDERS * 4 * CODES, begin).reshape(_VALUES_SHAPE)
        slots = np.frombuffer(image, "<u8", offset=begin + _VALUES_BYTES)
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
