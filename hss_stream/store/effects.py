"""What a decided page changes, as values: each goes to one shard, and a store applies them in order.

Every effect carries the page's offset, which the shard's fence is compared with, and its time (seconds).
"""

from typing import NamedTuple

from hss_stream.verdicts.cluster_class import CLUSTER_SUMS

NO_SUMS = (0,) * CLUSTER_SUMS
DOMAIN_SUMS = 4
MAX_WHO_BYTES = 64
# Words remembered of a cluster, the newest.
MAX_SAID = 16


class Join(NamedTuple):
    """Count a page in a cluster. `hit`: the further representative that brought it; 0: the prototype did."""

    offset: int
    at: int
    space: str
    cluster: int
    slots: int
    domain: int
    url: bytes
    hit: int = 0
    sums: tuple[int, ...] = NO_SUMS
    opens: bool = False


class Represent(NamedTuple):
    """Store a representative of a cluster; `evicted` (0: none) gives way to it. The prototype has its id."""

    offset: int
    at: int
    space: str
    cluster: int
    representative: int
    sketch: bytes
    text: bytes
    url: bytes
    evicted: int = 0


class Touch(NamedTuple):
    """Note a use of a merged id through one of its representatives."""

    offset: int
    at: int
    space: str
    cluster: int
    hit: int = 0


class NoteDomain(NamedTuple):
    """Note a page of a domain: its latest style cluster, and sums that later steps give meaning."""

    offset: int
    at: int
    domain: int
    cluster: int
    sums: tuple[int, int, int, int] = (0, 0, 0, 0)


class IndexAdd(NamedTuple):
    """Let a probe word find a representative."""

    offset: int
    probe: int
    word: int
    representative: int


class IndexRemove(NamedTuple):
    """Let the lower half of a probe word no longer find a representative."""

    offset: int
    probe: int
    low: int
    representative: int


class Vote(NamedTuple):
    """Let somebody say what a cluster is (`verdicts/label.py`); nothing where there is no such cluster.

    `label` 0 none, 1 spam, 2 ham; `role` 0 editor, 1 reporter; `client` the hash of the client's name, `who`
    that name for the cluster's history, at most `MAX_WHO_BYTES`.
    """

    offset: int
    at: int
    space: str
    cluster: int
    label: int
    role: int
    quorum: int
    client: int
    who: bytes = b""


class Said(NamedTuple):
    """A word on a cluster that changed something or contradicted the label in force, `before` and `after`."""

    at: int
    label: int
    role: int
    before: int
    after: int
    who: bytes


Effect = Join | Represent | Touch | NoteDomain | IndexAdd | IndexRemove | Vote


class Joined(NamedTuple):
    """What a cluster showed just after a page was counted: all that the page's events say of it.

    `into` is the cluster's survivor when it had been merged before the page came, else 0; `prototype`
    is the URL of its prototype where the class changed or a cluster was taken over, else empty. `sums`
    are those after the page; `domains_before` tells whether the page brought a new domain. Of a vote or a
    merge `label_before` is the label in force before; `changed` is 1 when a vote changed anything.
    """

    pages: int
    domains: int
    similarity_sum: int
    revision: int
    class_before: int
    class_after: int
    label: int
    into: int
    prototype: bytes = b""
    domains_before: int = 0
    sums: tuple[int, ...] = NO_SUMS
    label_before: int = 0
    changed: int = 0


class Linked(NamedTuple):
    """What a cluster showed when it was folded; `into` is what it really points to."""

    into: int
    pages: int
    domains: int
    similarity_sum: int
    revision: int
    class_after: int
    label: int
    prototype: bytes = b""


class Drained(NamedTuple):
    """Counts on their way from a merged cluster to its survivor; `payload` is opaque to callers."""

    into: int
    sequence: int
    payload: bytes
