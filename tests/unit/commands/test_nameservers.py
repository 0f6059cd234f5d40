"""`nameservers`, `export` and `replay --nameservers`: from a source to the list of providers."""

import json

import pytest
from click.testing import CliRunner

from hss_stream.cli import group
from tests.provider_pages import different, parked


def run(*arguments):
    """Run the program; return its exit code and lines."""
    done = CliRunner().invoke(group, [str(argument) for argument in arguments])
    return done.exit_code, done.stdout.splitlines()


@pytest.fixture(scope="module")
def replayed(tmp_path_factory):
    """Return the store and the events of a replay over two providers, whose names come from a file."""
    folder = tmp_path_factory.mktemp("replay")
    pages, names = [], []
    for number in range(120):
        make, provider = (parked, "parking.test") if number % 2 else (different, "host.test")
        domain = f"site{number}.example"
        pages.append({"url": f"http://{domain}/", "html": make(number).decode()})
        names.append({"domain": domain, "nameservers": [f"ns1.{provider}", f"ns2.{provider}"]})
    for name, rows in (("pages", pages), ("names", names)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    store = f"embedded://{folder}/store"
    code, lines = run(
        "replay", folder / "pages.jsonl", "--nameservers", folder / "names.jsonl", "--store", store, "--json"
    )
    assert 0 == code
    return store, [json.loads(line) for line in lines]


def test_replay_judges_name_servers(replayed):
    """`replay` tells of providers as the stream does; site records stay inside."""
    states = {event["provider"]: event["state"] for event in replayed[1] if event["event"] == "nameserver"}
    alerts = [event["subject_id"] for event in replayed[1] if event.get("subject") == "nameserver"]

    assert {"parking.test": "spam", "host.test": "clean"} == states
    assert ["parking.test"] == alerts
    assert not [event for event in replayed[1] if event["event"] == "site"]


def test_providers_are_listed_and_shown(replayed):
    """The listed come first; a name server is enough to see everything known of its provider."""
    _, lines = run("nameservers", "list", "--json", "--store", replayed[0])
    code, [shown] = run("nameservers", "show", "NS7.parking.test.", "--json", "--store", replayed[0])
    _, table = run("nameservers", "list", "--state", "spam", "--store", replayed[0])
    _, text = run("nameservers", "show", "parking.test", "--store", replayed[0])

    assert ["parking.test", "host.test"] == [json.loads(line)["provider"] for line in lines]
    assert (0, "spam", 60) == (code, json.loads(shown)["state"], json.loads(shown)["sites"])
    assert any("parking.test" in line for line in table)
    assert not any("host.test" in line for line in table)
    assert any(line.startswith("Without ") for line in text)
    assert 1 == run("nameservers", "show", "ns.nobody.test", "--store", replayed[0])[0]
    assert 2 == run("nameservers", "show", "no name", "--store", replayed[0])[0]


def test_listed_providers_are_exported(replayed):
    """`export jsonl` gives the listed providers, others when asked for."""
    _, spam = run("export", "jsonl", "--store", replayed[0])
    _, more = run("export", "jsonl", "--state", "clean", "--state", "spam", "--store", replayed[0])

    assert ["parking.test"] == [json.loads(line)["provider"] for line in spam]
    assert ["parking.test", "host.test"] == [json.loads(line)["provider"] for line in more]
