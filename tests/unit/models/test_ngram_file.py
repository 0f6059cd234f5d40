"""A model file is exactly right, or it is refused with one clear line."""

import json
import struct

import numpy as np
import pytest

from hss_stream.errors import ModelError
from hss_stream.lab.ngram_counting import TokenSpool
from hss_stream.lab.ngram_training import TrainingOptions, build_model, train_orders
from hss_stream.models.ngram_file import KIND, read_model, write_model
from hss_stream.signals.fake_text import FEATURES, Calibration, FakeTextModel
from hss_stream.signals.ngram_score import sum_text
from tests.oracles.slow_ngrams import tokens_of

TEXTS = ("the cat sat on the mat .", "the cat sat on the hat .", "a dog sat .")


@pytest.fixture
def model(tmp_path):
    """Return a small model with a made-up calibration."""
    with TokenSpool(tmp_path / "tokens") as spool:
        for text in TEXTS:
            spool.add(tokens_of(text.split()))
        ngrams = build_model(*train_orders(spool.corpus(), TrainingOptions(min_history=1)), "test")
    weights = np.arange(2 * len(FEATURES) + 2, dtype=np.float64).reshape(1, 2, -1) / 8
    calibration = Calibration(("a", "b"), np.array([100]), weights, np.ones((1, 2)), 0.5, 0.1, 0.4)
    return FakeTextModel(ngrams, calibration)


@pytest.fixture
def path(tmp_path, model):
    """Return the path of the small model's file."""
    write_model(tmp_path / "model.ngrams", model, {"tokens": 18})
    return tmp_path / "model.ngrams"


def test_file_keeps_the_model(path, model):
    """What is read is what was written: the same sums, the same calibration, the same facts."""
    read = read_model(path)
    tokens = tokens_of(TEXTS[2].split())

    assert {"tokens": 18} == read.facts
    assert sum_text(model.ngrams, tokens).tolist() == sum_text(read.model.ngrams, tokens).tolist()
    assert model.ngrams.identity == read.model.ngrams.identity
    assert model.calibration.weights.tolist() == read.model.calibration.weights.tolist()
    assert model.calibration.heads == read.model.calibration.heads


def test_writing_is_deterministic(path, tmp_path, model):
    """The same model gives the same bytes."""
    write_model(tmp_path / "again", model, {"tokens": 18})

    assert path.read_bytes() == (tmp_path / "again").read_bytes()


@pytest.mark.parametrize("size", [0, 1, 31, 32, 100, 5000, -1])
def test_cut_file_is_refused(path, size):
    """A file that ends too early is never half read."""
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ModelError, match="loading model"):
        read_model(path)


@pytest.mark.parametrize("place", [0, 9, 14, 18, 26, 40, 3000, 66_000, -1])
def test_changed_byte_is_refused(path, place):
    """One wrong byte anywhere is noticed."""
    image = bytearray(path.read_bytes())
    image[place] ^= 0x41
    path.write_bytes(image)
    with pytest.raises(ModelError, match="loading model"):
        read_model(path)


@pytest.mark.parametrize(
    "change",
    [
        {"buckets": [[0, 1], [1, 1], [2, 1], [3, 9]]},
        {"buckets": [[0, 1]]},
        {"buckets": "many"},
        {"calibration": {"features": []}},
        {"unknown": "word"},
        {"facts": None},
    ],
)
def test_wrong_header_is_refused(path, change):
    """A header with a right checksum and wrong content is refused too: no array is read out of bounds."""
    import xxhash

    image = path.read_bytes()
    length = struct.unpack_from("<I", image, 12)[0]
    old_begin = -(-(32 + length) // 64) * 64
    header = json.dumps(json.loads(image[32 : 32 + length]) | change).encode()
    rest = header + bytes(-(32 + len(header)) % 64) + image[old_begin:]
    digest = xxhash.xxh3_64_intdigest(rest)
    path.write_bytes(struct.pack("<8sIIQQ", KIND.magic, 1, len(header), 32 + len(rest), digest) + rest)
    with pytest.raises(ModelError, match="loading model"):
        read_model(path)


def test_missing_file_is_refused(tmp_path):
    """A path that leads nowhere is one line, not a traceback."""
    with pytest.raises(ModelError, match="loading model"):
        read_model(tmp_path / "nothing")
