"""What every cluster store promises: reads, pins, and effects that happen once.

A batch of pages of one source is placed in four acts, each safe to repeat after a crash:

    look up   read_buckets, read_representatives, read_clusters, read_domains, read_clocks
    decide    outside the store (verdicts/placing.py)
    pin       `pin`: whoever pins an offset first has decided it for ever
    apply     `apply`, then for merging pages `link`, `drain`, `take`, `acknowledge`

The caller keeps three rules: offsets of a source rise; all effects of a batch are applied before the
next batch is pinned; pinned offsets are applied as pinned. Then fences make effects exact, whatever
the crashes and however many workers believe they own a source. `tests/contract/` holds both
stores to this page.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hss_stream.store.effects import Drained, Effect, Joined, Linked, Said
from hss_stream.store.records import ClusterRecord, DomainRecord, HostHead, RepresentativeRecord
from hss_stream.verdicts.batch_view import ClusterHead


class BucketHits(NamedTuple):
    """What probes found: parallel `rows` (of the words asked for) and `representatives`.

    `entries` and `bucket_bytes` have the shape of the words asked for: entries of that very word, and
    the size of its bucket.
    """

    rows: NDArray[np.int64]
    representatives: NDArray[np.uint64]
    entries: NDArray[np.int64]
    bucket_bytes: NDArray[np.int64]


class PinnedBlock(NamedTuple):
    """Decisions pinned together; what `blob` holds is the caller's."""

    first: int
    last: int
    blob: bytes


class Pins(NamedTuple):
    """What is pinned of a source: `fence`: the last pinned offset (-1: none), `blocks`: those not trimmed."""

    fence: int
    blocks: list[PinnedBlock]


class ClusterHistory(NamedTuple):
    """What happened to a cluster: the last words on it, oldest first, and the clusters folded into it."""

    said: list[Said]
    merged: list[int]


class DeadCluster(NamedTuple):
    """A cluster past its life time that is still stored, with its representatives."""

    space: str
    cluster: int
    into: int
    representatives: list[tuple[int, bytes]]


class ExpiredCluster(NamedTuple):
    """The last record of a buried cluster, kept until its event is out; `due` in seconds of page time."""

    space: str
    cluster: int
    due: int
    record: ClusterRecord
    prototype: bytes = b""


class ClusterReads(Protocol):
    """What look-ups need of a store: reads, which may raise StoreError."""

    shards: int

    async def read_buckets(self, words: NDArray[np.uint32], first_probe: int) -> BucketHits:
        """Look words up in the index; column i is probe `first_probe` + i, 0 is no word."""

    async def read_representatives(self, identities: Sequence[int]) -> list[RepresentativeRecord | None]:
        """Return representatives; None where there is none (any more, or yet)."""

    async def read_clusters(self, space: str, clusters: Sequence[int]) -> list[ClusterRecord | None]:
        """Return the records of clusters; None where there is none."""

    async def read_domains(self, domains: Sequence[int]) -> list[DomainRecord | None]:
        """Return the records of domains (8-byte hashes of their names)."""

    async def read_clocks(self) -> list[int]:
        """Return the clock of each shard."""


class ClusterStore(ClusterReads, Protocol):
    """Clusters, their index and the pins of sources; every method may raise StoreError."""

    async def open(self) -> None:
        """Reach the store and check that it was made with the same shards, formats and prefix."""

    async def close(self) -> None:
        """Let go of connections (and of an embedded server)."""

    async def source_number(self, group: str, topic: str, partition: int, incarnation: str = "") -> int:
        """Return the number of a source, given once in rising order and never reused."""

    async def new_run(self) -> int:
        """Return the next number for a replay run."""

    async def last_run(self) -> int:
        """Return the number of the last replay run, 0 if there was none."""

    async def read_history(self, space: str, cluster: int) -> ClusterHistory:
        """Return who said what about a cluster, and which it took over; for reports."""

    async def read_heads(self, space: str, clusters: Sequence[int]) -> list[ClusterHead | None]:
        """Return what decisions need of clusters: cheaper than their whole records."""

    async def read_hosts(self, domains: Sequence[int]) -> dict[int, HostHead]:
        """Return what decisions need of those domains that are known: cheaper than their whole records."""

    async def load_pins(self, source: int) -> Pins:
        """Return what is pinned of a source."""

    async def pin(self, source: int, after: int, first: int, last: int, blob: bytes) -> Pins | None:
        """Pin decisions for the offsets from `first` to `last`; None when done.

        When any of them is pinned already nothing is stored, and all pins of the source come back.
        `after` is the pin fence the caller knows; a lower one in the store means that the store went
        back (a restored backup, a fail-over) and raises StoreWentBackError.
        """

    async def apply(
        self, source: int, effects: Mapping[int, Sequence[Effect]]
    ) -> dict[tuple[str, int], Joined]:
        """Apply effects, by shard and in offset order; those at or below a shard's fence change nothing.

        Returns the result of every `Join` by (space, offset): for repeated ones that of the first time.
        """

    async def link(self, source: int, offset: int, space: str, merged: int, into: int) -> Linked:
        """Fold a cluster into an older one, unless it already is folded; a repetition answers the same."""

    async def drain(self, space: str, merged: int) -> Drained | None:
        """Set the counts of a merged cluster aside for its survivor; None when it is not merged.

        An empty payload means that nothing is left to move. Until acknowledged, the same again.
        """

    async def take(
        self, space: str, merged: int, drained: Drained, note: tuple[int, int] | None = None
    ) -> Joined:
        """Add drained counts to the survivor, once; answer with its state after.

        `note` (source, offset) of a merging page keeps that answer for repetitions.
        """

    async def acknowledge(self, space: str, merged: int, sequence: int) -> None:
        """Forget counts set aside under this number: their survivor has them."""

    async def trim(self, source: int, committed: int) -> None:
        """Forget pins and results of the offsets below `committed`."""

    async def find_dead(self, shard: int, limit: int) -> list[DeadCluster]:
        """Return clusters of a shard past their life time, and forget domains past theirs."""

    async def unindex(self, representatives: Sequence[tuple[int, bytes]]) -> None:
        """Remove representatives (with their sketches) from the index."""

    async def bury(self, shard: int, dead: Sequence[tuple[str, int]]) -> int:
        """Remove clusters that are (still) dead, and note each for its event; return how many."""

    async def read_expired(self, shard: int, limit: int) -> list[ExpiredCluster]:
        """Return noted burials, oldest first."""

    async def forget_expired(self, shard: int, events: int) -> None:
        """Forget the oldest noted burials, whose events are out."""

    def list_clusters(self, space: str) -> AsyncIterator[tuple[int, ClusterRecord]]:
        """Yield every cluster of a space, in no order; for reports, never while placing pages."""
