"""Which text cluster a document belongs to: any of its 11 I-Match coordinates may say.

A document has one signature for the whole lexicon and one for each of ten copies that lack other words. Two
documents are the same text where any coordinate agrees (Kolcz, Chowdhury, Alspector 2004). Each signature
leads to at most one cluster; a document whose coordinates lead to several has to be resolved.
"""

from collections.abc import Sequence
from dataclasses import dataclass

COORDINATES = 11
NULL_SIGNATURE = 0


@dataclass(frozen=True, slots=True)
class TextRules:
    """Limits of the text and mail spaces."""

    # Coordinates that must agree with *both* clusters before one document makes them one. One coordinate
    # agrees by accident now and then (a short list of rare words); two at once with both hardly do.
    merge_coordinates: int = 2
    lifetime_seconds: int = 30 * 86_400


@dataclass(frozen=True, slots=True)
class TextPlacement:
    """Where a document goes: `cluster` None opens one, `merges` fold into `cluster`."""

    cluster: int | None
    matching: int
    of: int
    merges: tuple[int, ...] = ()


def place_text(
    signatures: Sequence[int], found: Sequence[int | None], rules: TextRules
) -> TextPlacement | None:
    """Return the placement of a document; None when it has too little text for any signature.

    `found` names the live cluster each coordinate leads to. A null signature never matches, whatever
    was found for it: documents without words of the lexicon would all be one.
    The cluster with most coordinates wins, the oldest of equals. Others are folded into the oldest of them
    where they and the winner are each supported by `merge_coordinates`: a single coordinate shared by
    accident must not chain two campaigns together.
    """
    votes: dict[int, int] = {}
    computed = 0
    for signature, cluster in zip(signatures, found, strict=True):
        if signature == NULL_SIGNATURE:
            continue
        computed += 1
        if cluster is not None:
            votes[cluster] = votes.get(cluster, 0) + 1
    if computed == 0:
        return None
    if not votes:
        return TextPlacement(None, 0, computed)
    best = min(votes, key=lambda cluster: (-votes[cluster], cluster))
    together = {cluster for cluster, count in votes.items() if count >= rules.merge_coordinates}
    if votes[best] < rules.merge_coordinates or len(together) < 2:
        return TextPlacement(best, votes[best], computed)
    survivor = min(together)
    return TextPlacement(survivor, votes[best], computed, tuple(sorted(together - {survivor})))
