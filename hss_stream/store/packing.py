"""Effects as bytes for `scripts/apply.lua`, and its results back.

Every effect begins with its kind, its offset (5 bytes) and its time (4 bytes, seconds).
"""

import struct
from collections.abc import Iterator, Sequence

from hss_stream.store.effects import (
    MAX_WHO_BYTES,
    Effect,
    IndexAdd,
    IndexRemove,
    Join,
    Joined,
    NoteDomain,
    Represent,
    Said,
    Touch,
    Vote,
)
from hss_stream.store.layout import sample_token

_TIMED = struct.Struct("<cIBI")
_JOIN = struct.Struct("<cIBIc8sBIIB8s8IB")
_REPRESENT = struct.Struct("<c8s8s8s256s16sB")
_TOUCH = struct.Struct("<c8s8s")
_DOMAIN = struct.Struct("<cIBI8s8s4I")
_ADD = struct.Struct("<cIBIBHH8s")
_REMOVE = struct.Struct("<BH8s")
SHOWN = struct.Struct("<IIdIBBB8s9IBBB")
_VOTE = struct.Struct("<c8sBBB8sB")
_SAID = struct.Struct("<IBBBB")


def _head(kind: bytes, offset: int, at: int) -> bytes:
    return _TIMED.pack(kind, offset & 0xFFFFFFFF, offset >> 32, at)


def _name(identity: int) -> bytes:
    return identity.to_bytes(8, "big")


def _pack_join(one: Join) -> bytes:
    offset, url = one.offset, one.url
    return (
        _JOIN.pack(
            b"J", offset & 0xFFFFFFFF, offset >> 32, one.at, one.space.encode(), _name(one.cluster),
            one.slots, one.domain & 0xFFFFFFFF, sample_token(url), one.opens, _name(one.hit), *one.sums,
            len(url),
        )
        + url
    )  # fmt: skip


def _pack_represent(one: Represent) -> bytes:
    return (
        _head(b"R", one.offset, one.at)
        + _REPRESENT.pack(
            one.space.encode(), _name(one.cluster), _name(one.representative), _name(one.evicted),
            one.sketch, one.text, len(one.url),
        )
        + one.url
    )  # fmt: skip


def _pack_touch(one: Touch) -> bytes:
    return _head(b"T", one.offset, one.at) + _TOUCH.pack(
        one.space.encode(), _name(one.cluster), _name(one.hit)
    )


def _pack_domain(one: NoteDomain) -> bytes:
    offset = one.offset
    return _DOMAIN.pack(
        b"D", offset & 0xFFFFFFFF, offset >> 32, one.at, _name(one.domain), _name(one.cluster), *one.sums
    )


def _pack_add(one: IndexAdd) -> bytes:
    offset, probe, word, representative = one
    low, high = word & 0xFFFF, word >> 16
    return _ADD.pack(b"A", offset & 0xFFFFFFFF, offset >> 32, 0, probe, low, high, _name(representative))


def _pack_remove(one: IndexRemove) -> bytes:
    return _head(b"X", one.offset, 0) + _REMOVE.pack(one.probe, one.low, _name(one.representative))


def _pack_vote(one: Vote) -> bytes:
    who = one.who[:MAX_WHO_BYTES]
    return (
        _head(b"V", one.offset, one.at)
        + _VOTE.pack(
            one.space.encode(),
            _name(one.cluster),
            one.label,
            one.role,
            one.quorum,
            _name(one.client),
            len(who),
        )
        + who
    )


_PACKERS = {
    Vote: _pack_vote,
    Join: _pack_join,
    Represent: _pack_represent,
    Touch: _pack_touch,
    NoteDomain: _pack_domain,
    IndexAdd: _pack_add,
    IndexRemove: _pack_remove,
}


def pack_effects(effects: Sequence[Effect]) -> bytes:
    """Return the effects of one shard as its script reads them."""
    return b"".join([_PACKERS[type(effect)](effect) for effect in effects])  # type: ignore[operator] # by type


def unpack_said(packed: bytes) -> Said:
    """Return one word of a cluster's history."""
    at, label, role, before, after = _SAID.unpack_from(packed)
    return Said(at, label, role, before, after, packed[_SAID.size :])


def unpack_shown(answer: bytes) -> Iterator[Joined | None]:
    """Yield the results a script joined; None for one that was trimmed."""
    place = 0
    while place < len(answer):
        shown = SHOWN.unpack_from(answer, place)
        pages, domains, similarity, revision, before, after, label, into, known = shown[:9]
        label_before, changed, url = shown[17:]
        place += SHOWN.size + url
        prototype = answer[place - url : place]
        if revision == 0:
            yield None
        else:
            yield Joined(
                pages, domains, int(similarity), revision, before, after, label, int.from_bytes(into, "big"),
                prototype, known, shown[9:17], label_before, changed,
            )  # fmt: skip
