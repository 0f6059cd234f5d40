"""Who is let in, and that nothing of a secret is kept."""

import json

import pytest
from click.testing import CliRunner

from hss_stream.commands.tokens import command
from hss_stream.errors import SettingsError
from hss_stream.gateway import guard as guard_module
from hss_stream.gateway.guard import Guard
from hss_stream.gateway.problem import Problem
from hss_stream.gateway.token_file import TokenSet, create_token, read_tokens, revoke_token
from tests.unit.gateway.running import running


@pytest.fixture
def path(tmp_path):
    """Return where tokens are kept."""
    return tmp_path / "tokens.json"


def bearer(text):
    """Return the header that carries a token."""
    return {"Authorization": f"Bearer {text}"}


def test_file_holds_no_secret(path):
    """The file is for its owner alone and holds the hash of a secret, never the secret."""
    _, text = create_token(path, "mx1", ("lookup",), "reporter")

    assert text.rsplit("_", 1)[1] not in path.read_text()
    assert 0o600 == path.stat().st_mode & 0o777


def test_token_is_found_until_revoked(path):
    """A token works until it is revoked; a changed one never does."""
    token, text = create_token(path, "mx1", ("lookup",), "reporter")

    assert token == TokenSet(read_tokens(path)).find(text)
    for wrong in (text[:-1], text + "x", "", "hss__", text.replace(token.id, "0" * 12), "é" * 40):
        assert TokenSet(read_tokens(path)).find(wrong) is None

    revoke_token(path, token.id)

    assert TokenSet(read_tokens(path)).find(text) is None


def test_outside_needs_a_token(path):
    """The gateway refuses to listen beyond loopback while there is no token."""
    with pytest.raises(SettingsError, match="tokens create"):
        Guard(path, "0.0.0.0")  # noqa: S104 - the very case
    create_token(path, "mx1", ("lookup",), "reporter")

    Guard(path, "0.0.0.0")  # noqa: S104 - allowed now


def test_lost_file_opens_no_door(path, monkeypatch):
    """Once there was a token, an emptied, broken or deleted file lets nobody else in."""
    monkeypatch.setattr(guard_module, "RELOAD_SECONDS", 0.0)
    _, text = create_token(path, "mx1", ("lookup",), "reporter")
    guard = Guard(path, "127.0.0.1")
    path.write_text("{")

    assert "mx1" == guard.admit(f"Bearer {text}", "lookup").name

    path.unlink()
    for header in (None, f"Bearer {text}"):
        with pytest.raises(Problem):
            guard.admit(header, "lookup")


async def test_scopes_decide(path, monkeypatch):
    """No token: 401 with a challenge; one without the scope: 403; admin may do everything."""
    monkeypatch.setattr(guard_module, "RELOAD_SECONDS", 0.0)
    _, lookup = create_token(path, "mx1", ("lookup",), "reporter")
    _, admin = create_token(path, "ops", ("admin",), "editor")
    async with running(tokens=path) as gateway:
        seen = []
        for path_asked, text in [
            ("/v1/nameserver/a.example", None),
            ("/v1/nameserver/a.example", "hss_nobody_secret"),
            ("/v1/nameserver/a.example", lookup),
            ("/metrics", lookup),
            ("/metrics", admin),
            ("/healthz", None),
        ]:
            status, headers, _ = await gateway.get(path_asked, headers=bearer(text) if text else {})
            seen.append(status)
            assert ("WWW-Authenticate" in headers) == (status == 401)

        assert [401, 401, 200, 403, 200, 200] == seen

        revoke_token(path, read_tokens(path)[0].id)
        status, _, _ = await gateway.get("/v1/nameserver/a.example", headers=bearer(lookup))

        assert 401 == status
        assert lookup not in "".join(gateway.lines())


async def test_guessing_is_slowed(path):
    """An address that shows many bad tokens hears 429; one with a good token is not locked out by it."""
    _, text = create_token(path, "mx1", ("lookup",), "reporter")
    async with running(tokens=path) as gateway:
        seen = [
            (await gateway.get("/v1/nameserver/a.example", headers=bearer("hss_x_y")))[0] for _ in range(40)
        ]
        status, _, _ = await gateway.get("/v1/nameserver/a.example", headers=bearer(text))

        assert {401, 429} == set(seen)
        assert 200 == status


def test_commands_create_list_revoke(path):
    """The commands make, show and revoke tokens, and show a secret exactly once."""
    run = CliRunner().invoke
    made = run(command, ["create", "mx1", "--scope", "lookup", "--scope", "label", "--file", str(path)])
    listed = run(command, ["list", "--json", "--file", str(path)])
    entry = json.loads(listed.output)
    revoked = run(command, ["revoke", entry["id"], "--file", str(path)])

    assert made.output.startswith(f"hss_{entry['id']}_")
    assert ["lookup", "label"] == entry["scopes"]
    assert "sha256" not in listed.output
    assert 0 == revoked.exit_code
    assert "revoked" in run(command, ["list", "--file", str(path)]).output
