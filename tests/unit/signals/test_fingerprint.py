"""The fingerprint is sent by others: its layout never changes under one format number."""

import pytest

from hss_stream.signals.fingerprint import Fingerprint, make_fingerprint
from hss_stream.signals.imatch import Signatures

VALUES = (*range(1, 11), 0)
GOLDEN = "0102" + "00000000000000ff" + "".join(f"{value:016x}" for value in VALUES) + "ab" * 256


def test_golden_layout():
    """Format, kind, lexicon id, eleven signatures, sketch: 708 hex digits, in this order."""
    signatures = Signatures(255, 9, VALUES)

    assert GOLDEN == make_fingerprint("mail", signatures, b"\xab" * 256).to_hex()
    assert 708 == len(GOLDEN)


def test_missing_sketch_is_zeros():
    """A body without markup has zeros for its sketch."""
    assert make_fingerprint("text", Signatures(1, 0, (0,) * 11)).to_hex().endswith("00" * 256)


@pytest.mark.parametrize("kind", ["page", "mail", "text"])
def test_fingerprint_comes_back(kind):
    """What was written is read."""
    fingerprint = Fingerprint(kind, 2**64 - 1, (2**64 - 1,) * 11, bytes(range(256)))

    assert fingerprint == Fingerprint.from_hex(fingerprint.to_hex())


@pytest.mark.parametrize(
    "text", ["", "00", "zz" * 354, "02" + GOLDEN[2:], "0109" + GOLDEN[4:], GOLDEN + "00"]
)
def test_foreign_text_is_refused(text):
    """Wrong length, no hex, another format or an unknown kind is an error."""
    with pytest.raises(ValueError, match=r"."):
        Fingerprint.from_hex(text)
