"""Labels: what people say about a cluster, and how it survives contradiction, crowds and merges.

An editor's word counts at once. Reporters (mail gateways, users) count when enough *distinct clients*
agree. State is one editor's word and two bounded sets of clients, and the label follows from it:

    editor's word, if any; else `ham` with a quorum for ham; else `spam` with a quorum for spam; else none

Merging two clusters merges their states: the stronger word (ham over spam over none) and the unions of the
clients. This is commutative, associative and idempotent, so it makes no difference in which order merges
and labels reach the store, or how often.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from hss_stream.verdicts.evidence import Label

Role = Literal["editor", "reporter"]
Outcome = Literal["applied", "counted", "unchanged", "conflict", "cleared"]

# Clients remembered on each side. A million labels for one cluster cost no more than these.
MAX_CLIENTS = 32
STRENGTH: dict[Label, int] = {"none": 0, "spam": 1, "ham": 2}
ROLES: dict[Role, int] = {"editor": 0, "reporter": 1}


@dataclass(frozen=True, slots=True)
class LabelVote:
    """One record of `hss.labels`: who says what. `client` is a hash of the authenticated client's name."""

    label: Label
    role: Role
    client: int


@dataclass(frozen=True, slots=True)
class LabelState:
    """Everything remembered about the labels of one cluster."""

    editor: Label = "none"
    spam_clients: frozenset[int] = frozenset()
    ham_clients: frozenset[int] = frozenset()

    def label(self, quorum: int) -> Label:
        """Return the label in force.

        A client on both sides (two merged clusters) counts for ham. Ham wins over spam where both have a
        quorum, because calling the honest spam costs more than missing a spammer.
        """
        if self.editor != "none":
            return self.editor
        if len(self.ham_clients) >= quorum:
            return "ham"
        return "spam" if len(self.spam_clients - self.ham_clients) >= quorum else "none"


@dataclass(frozen=True, slots=True)
class LabelChange:
    """What a vote did: the state after, the labels in force before and after, the outcome for the audit."""

    state: LabelState
    before: Label
    after: Label
    outcome: Outcome


def apply_vote(state: LabelState, vote: LabelVote, quorum: int) -> LabelChange:
    """Return what a vote changes.

    Guards against three things: a crowd of one (clients count once, whatever they send), a flood (sets
    are bounded), and silent overriding: a vote that contradicts the label in force comes out as `conflict`,
    whoever wins.
    """
    before = state.label(quorum)
    after_state = _with_editor(state, vote) if vote.role == "editor" else _with_client(state, vote)
    after = after_state.label(quorum)
    return LabelChange(after_state, before, after, _outcome(state, vote, before, after, after_state))


def _with_editor(state: LabelState, vote: LabelVote) -> LabelState:
    """Return the state after an editor's word.

    `none` takes the word back and forgets the reporters too. `spam` does not replace an editor's `ham`: the
    editor must say `none` first, so that nobody undoes a colleague's clearance by accident.
    """
    if vote.label == "none":
        return LabelState()
    return replace(state, editor=stronger(state.editor, vote.label))


def _with_client(state: LabelState, vote: LabelVote) -> LabelState:
    """Return the state after a reporter's vote: a client stands on one side, or on none."""
    client = frozenset({vote.client})
    spam, ham = state.spam_clients - client, state.ham_clients - client
    if vote.label == "spam":
        spam = least_clients(spam | client)
    elif vote.label == "ham":
        ham = least_clients(ham | client)
    return replace(state, spam_clients=spam, ham_clients=ham)


def _outcome(
    state: LabelState, vote: LabelVote, before: Label, after: Label, after_state: LabelState
) -> Outcome:
    """Return the word for the audit trail."""
    opposed = {before, vote.label} == {"spam", "ham"}
    if opposed and (vote.role == "editor" or before != after):
        return "conflict"
    if before != after:
        return "cleared" if after == "none" else "applied"
    return "unchanged" if after_state == state else "counted"


def merge_states(first: LabelState, second: LabelState) -> LabelState:
    """Return the state of two clusters that turn out to be one: the stronger word, all clients of both."""
    return LabelState(
        stronger(first.editor, second.editor),
        least_clients(first.spam_clients | second.spam_clients),
        least_clients(first.ham_clients | second.ham_clients),
    )


def is_merge_conflict(first: Label, second: Label) -> bool:
    """Tell whether two clusters that become one were labelled against each other; an event says so."""
    return {first, second} == {"spam", "ham"}


def stronger(first: Label, second: Label) -> Label:
    """Return ham over spam over none."""
    return max(first, second, key=STRENGTH.__getitem__)


def least_clients(clients: Iterable[int]) -> frozenset[int]:
    """Return the `MAX_CLIENTS` clients with the least hashes: the same whatever the order of arrival."""
    return frozenset(sorted(clients)[:MAX_CLIENTS])
