"""Labels survive contradiction, crowds and merges by the stated rules."""

from hypothesis import given
from hypothesis import strategies as st

from hss_stream.verdicts.label import (
    MAX_CLIENTS,
    LabelState,
    LabelVote,
    apply_vote,
    is_merge_conflict,
    merge_states,
)

QUORUM = 3
labels = st.sampled_from(["none", "spam", "ham"])
clients = st.integers(0, 60)
votes = st.builds(LabelVote, label=labels, role=st.sampled_from(["editor", "reporter"]), client=clients)
states = st.builds(
    LabelState, editor=labels, spam_clients=st.frozensets(clients, max_size=MAX_CLIENTS),
    ham_clients=st.frozensets(clients, max_size=MAX_CLIENTS),
)  # fmt: skip


def run(history, state=None):
    """Return the changes of a history of votes."""
    changes = []
    state = state or LabelState()
    for vote in history:
        changes.append(apply_vote(state, vote, QUORUM))
        state = changes[-1].state
    return changes


@given(states, st.sampled_from(["spam", "ham"]))
def test_editor_counts_at_once(state, label):
    """After an editor's word the label in force is that word, or an editor's ham that stands against it."""
    change = apply_vote(state, LabelVote(label, "editor", 1), QUORUM)

    assert change.after == ("ham" if state.editor == "ham" else label)


@given(st.lists(votes, max_size=30))
def test_ham_is_never_silently_overridden(history):
    """Whenever ham gives way to spam, or stands against an editor's spam, the outcome is a conflict."""
    for vote, change in zip(history, run(history), strict=True):
        if change.before == "ham" and (
            change.after == "spam" or (vote.role, vote.label) == ("editor", "spam")
        ):
            assert change.outcome == "conflict"


@given(st.permutations(["spam", "ham"]))
def test_contradicting_editors_leave_ham(words):
    """Two editors against each other: ham, in whichever order they speak, and it is said."""
    changes = run([LabelVote(word, "editor", number) for number, word in enumerate(words)])

    assert changes[-1].after == "ham"
    assert changes[-1].outcome == "conflict"


@given(st.integers(1, 500))
def test_one_client_is_no_crowd(times):
    """One client counts once, however often it reports."""
    changes = run([LabelVote("spam", "reporter", 7)] * times)

    assert changes[-1].after == "none"


@given(st.lists(st.builds(LabelVote, label=labels, role=st.just("reporter"), client=clients), max_size=60))
def test_quorum_of_distinct_clients(history):
    """Reporters label a cluster exactly when a quorum of distinct clients stands on that side."""
    last = {vote.client: vote.label for vote in history}
    spam, ham = (sum(word == side for word in last.values()) for side in ("spam", "ham"))
    expected = "ham" if ham >= QUORUM else "spam" if spam >= QUORUM else "none"
    after = run(history)[-1].after if history else "none"

    assert expected == after or max(spam, ham) > MAX_CLIENTS


@given(st.lists(votes, max_size=200))
def test_state_stays_small(history):
    """A million labels for one cluster cost no more than a fixed number of clients."""
    state = run(history)[-1].state if history else LabelState()

    assert len(state.spam_clients) <= MAX_CLIENTS
    assert len(state.ham_clients) <= MAX_CLIENTS


@given(states)
def test_editor_can_start_again(state):
    """An editor's `none` takes everything back, also what reporters said."""
    assert LabelState() == apply_vote(state, LabelVote("none", "editor", 1), QUORUM).state


@given(states, votes)
def test_repeated_vote_changes_nothing(state, vote):
    """A vote delivered twice leaves the state of the first time."""
    once = apply_vote(state, vote, QUORUM).state

    assert once == apply_vote(once, vote, QUORUM).state


@given(states, states, states)
def test_merging_has_no_order(first, second, third):
    """Merges in any order, any grouping and any number of times give one state."""
    assert merge_states(first, second) == merge_states(second, first)
    assert merge_states(merge_states(first, second), third) == merge_states(
        first, merge_states(second, third)
    )
    assert merge_states(first, first) == first


@given(states, states)
def test_label_survives_merges(first, second):
    """A merged cluster keeps the stronger editor's word: ham over spam over none."""
    words = {first.editor, second.editor}
    merged = merge_states(first, second).editor

    assert merged == ("ham" if "ham" in words else "spam" if "spam" in words else "none")
    assert is_merge_conflict(first.editor, second.editor) == (words == {"spam", "ham"})
