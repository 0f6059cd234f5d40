"""Settings: typed, explained, and strict about names."""

import json

import pytest
from click.testing import CliRunner

from hss_stream.commands.settings import command
from hss_stream.errors import SettingsError
from hss_stream.settings import known_names, load_settings, masked_url, setting_lines


def test_names_of_the_interface_exist():
    """What scripts rely on is there, spelled as promised."""
    promised = {
        "HSS_BROKER", "HSS_REDIS", "HSS_GROUP", "HSS_TOPIC_PREFIX", "HSS_STORE__PREFIX", "HSS_METRICS__PORT",
        "HSS_GATEWAY__HOST", "HSS_GATEWAY__PORT", "HSS_LOG_LEVEL", "HSS_LOG_FORMAT",
    }  # fmt: skip

    assert promised <= set(known_names())


def test_environment_is_read(monkeypatch):
    """A nested name reaches its group."""
    monkeypatch.setenv("HSS_METRICS__PORT", "1234")

    assert 1234 == load_settings().metrics.port


@pytest.mark.parametrize("name", ["HSS_BROKR", "HSS_STORE__PREFX", "HSS_STORE", "HSS_X"])
def test_unknown_name_is_refused(monkeypatch, name):
    """A misspelt name stops the program instead of being ignored."""
    monkeypatch.setenv(name, "1")

    with pytest.raises(SettingsError, match=f"no setting {name};"):
        load_settings()


def test_nearest_name_is_advised(monkeypatch):
    """The message says what was probably meant."""
    monkeypatch.setenv("HSS_BROKR", "kafka://a:9092")

    with pytest.raises(SettingsError, match=r"did you mean HSS_BROKER\?"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HSS_BROKER", "localhost:9092"),
        ("HSS_REDIS", "redis+cluster://a:6379"),
        ("HSS_REDIS", "a:6379"),
        ("HSS_METRICS__PORT", "many"),
        ("HSS_LOG_FORMAT", "xml"),
    ],
)
def test_nonsense_names_the_variable(monkeypatch, name, value):
    """A wrong value is refused in one line that names its variable."""
    monkeypatch.setenv(name, value)

    with pytest.raises(SettingsError, match=f"{name}: ") as caught:
        load_settings()
    assert "\n" not in str(caught.value)


def test_secrets_are_masked(monkeypatch):
    """No password is ever printed, neither of Kafka nor inside an address."""
    monkeypatch.setenv("HSS_KAFKA__PASSWORD", "geheim")
    monkeypatch.setenv("HSS_REDIS", "redis://user:geheim@host:6379/0")
    shown = CliRunner().invoke(command, ["--json"]).output
    lines = {line["name"]: line for line in map(json.loads, shown.splitlines())}

    assert "geheim" not in shown
    assert "geheim" not in repr(load_settings().kafka)
    assert "redis://user:********@host:6379/0" == lines["HSS_REDIS"]["value"]
    assert "environment" == lines["HSS_REDIS"]["source"]
    assert "default" == lines["HSS_BROKER"]["source"]


def test_masking_leaves_other_addresses_alone():
    """An address without a login is shown as it is."""
    assert "redis://host:1/0" == masked_url("redis://host:1/0")
    assert "unix:///run/redis.sock" == masked_url("unix:///run/redis.sock")


def test_every_setting_is_explained():
    """Each has a help that ends like a sentence."""
    assert [] == [line.name for line in setting_lines(load_settings()) if not line.help.endswith(".")]
