"""What every store of providers promises: sites are noted once, a provider has one state, nothing stays."""

from dataclasses import replace

from hss_stream.store.provider_records import ProviderRecord
from hss_stream.store.provider_store import ExpiredProvider, MadeEvents, Noted, SiteNote

AT = 1_700_000_000
A, B, C = 0xA1, 0xB2, 0xC3
SITE = 7
WATCH, SPAM = 1, 2


def home(offset, *providers, domain=SITE, at=AT, blob=b"blob"):
    """Return the note of a home page."""
    return SiteNote(offset, at, domain, is_home=True, providers=providers, blob=blob)


async def judged(store, provider, name, **changes):
    """Save a provider as it was read, with changes; return whether that was accepted."""
    found = await store.read(provider)
    record = ProviderRecord(name) if found is None else found.record
    return await store.save(provider, replace(record, **changes), b"", AT, ())


async def test_unknown_providers_are_met(providers):
    """A provider is known by name from the first page on, and has the state it was given last."""
    assert {A: (0, 0), B: (0, 0)} == await providers.meet({A: "a.example", B: "b.example"}, AT)
    await judged(providers, A, "a.example", state=SPAM, label=1)

    assert {A: (SPAM, 1), B: (0, 0)} == await providers.meet({A: "a.example", B: "b.example"}, AT)
    assert ["a.example", None] == [one and one.name for one in await providers.read_heads([A, C])]
    assert {"too_few": 1, "watch": 0, "spam": 1, "clean": 0} == await providers.count_states()


async def test_sites_move(providers):
    """A home page answers who served the site before; another page asks nothing and changes nothing."""
    first = await providers.note(1, [home(0, A, B)])
    inner = await providers.note(1, [SiteNote(1, AT, SITE, is_home=False, providers=(), blob=b"inner")])
    second = await providers.note(1, [home(2, A, C)])

    assert {0: Noted((), b"blob")} == first
    assert {1: Noted((), b"inner")} == inner
    assert {2: Noted((A, B), b"blob")} == second
    assert [(A, C), ()] == await providers.read_sites([SITE, 8])


async def test_notes_happen_once(providers):
    """A page delivered again gets the answer of the first time, whatever it says now, until it is trimmed."""
    first = await providers.note(1, [home(0, A), home(1, B, blob=b"one"), home(5, C)])
    again = await providers.note(1, [home(1, C, blob=b"two")])

    assert {1: first[1]} == again
    assert [(C,)] == await providers.read_sites([SITE])
    await providers.trim(1, 2)
    assert {5: first[5]} == await providers.note(1, [home(1, A), home(5, A)])
    assert {0: Noted((C,), b"blob")} == await providers.note(2, [home(0, A)])


async def test_only_the_last_reader_saves(providers):
    """Who read an older version is refused, so that a worker that lost its partition undoes nothing."""
    await providers.meet({A: "a.example"}, AT)
    stale = (await providers.read(A)).record
    made = [MadeEvents(3, 9, b"[1]")]

    assert await providers.save(A, replace(stale, state=WATCH, facts=b"f", event=b"{}"), b"sample", AT, made)
    assert not await providers.save(A, replace(stale, state=SPAM), b"other", AT, [])
    record, sample = await providers.read(A)
    assert ("a.example", WATCH, b"f", b"{}", b"sample") == (
        record.name, record.state, record.facts, record.event, sample,
    )  # fmt: skip
    assert await providers.save(A, record, b"", AT, [])
    assert b"sample" == (await providers.read(A)).sample
    assert None is await providers.read(C)


async def test_events_are_kept_until_trimmed(providers):
    """What a provider made at an offset can be sent again until the offset is committed."""
    await providers.save(A, ProviderRecord("a.example"), b"", AT, [MadeEvents(3, 9, b"[9]")])

    assert {9: b"[9]"} == await providers.made_events(A, 3, [8, 9])
    assert {} == await providers.made_events(B, 3, [9])
    await providers.trim(3, 9)
    assert {9: b"[9]"} == await providers.made_events(A, 3, [9])
    await providers.trim(3, 10)
    assert {} == await providers.made_events(A, 3, [9])


async def test_progress_is_kept(providers):
    """How far a partition of sites is applied survives."""
    assert -1 == await providers.reached(4)
    await providers.set_reached(4, 17)
    assert 17 == await providers.reached(4)


async def test_everything_has_a_life_time(providers):
    """Sites and providers that nobody used for their life time are forgotten, the others stay."""
    late = AT + 10_000
    same_shard = A + 16
    await providers.meet({A: "a.example", same_shard: "b.example"}, AT)
    await providers.note(1, [home(0, A), home(1, A, domain=SITE + 16)])
    await providers.note(1, [home(2, A, domain=SITE + 16, at=late)])
    await providers.save(same_shard, ProviderRecord("b.example"), b"s", late, [])
    for shard in range(providers.shards):
        while await providers.sweep(shard, 10):
            pass

    assert [(), (A,)] == await providers.read_sites([SITE, SITE + 16])
    assert [None, "b.example"] == [one and one.name for one in await providers.read_heads([A, same_shard])]
    assert [ExpiredProvider(AT + 1000, "a.example")] == await providers.read_expired(A % 16, 5)
    await providers.forget_expired(A % 16, 1)
    assert [] == await providers.read_expired(A % 16, 5)
    assert ["b.example"] == [one.name async for one in providers.list_providers()]
    assert 1 == sum((await providers.count_states()).values())
