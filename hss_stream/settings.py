"""All settings, in one typed tree: every name has a unit, a default and a help.

They come from environment variables `HSS_…`, nested with `__`. An unknown `HSS_` name is
refused with the nearest known one, because a misspelt setting is worse than none.
Rooms receive the group or the value they need, never the tree.
"""

import difflib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, SecretStr, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, SettingsConfigDict

from hss_stream.errors import SettingsError
from hss_stream.gateway.options import GatewaySettings
from hss_stream.steps.page_verdict import AllowLists
from hss_stream.steps.text_signals import TextOptions
from hss_stream.stream.options import KafkaSettings, WorkerSettings
from hss_stream.verdicts.alert import AlertRules

PREFIX = "HSS_"
BROKER_SCHEMES = ("kafka://", "memory://")
REDIS_SCHEMES = ("redis://", "rediss://", "unix://", "embedded://")


def _checked_broker(value: str) -> str:
    if not value.startswith(BROKER_SCHEMES):
        raise ValueError("give kafka://host:port (several: kafka://a:9092;kafka://b:9092) or memory://")
    return value


def _checked_redis(value: str) -> str:
    if value.startswith("redis+cluster://"):
        raise ValueError("a Redis Cluster is not supported yet; give redis://host:port")
    if not value.startswith(REDIS_SCHEMES):
        raise ValueError("give redis://host:port/db, rediss://…, unix:///path, or embedded:///path")
    return value


class StoreSettings(BaseModel, frozen=True, extra="forbid"):
    """How the index in Redis is laid out."""

    prefix: str = Field(
        "hss",
        pattern=r"^[A-Za-z0-9_.-]{1,32}$",
        description="First part of every key; recorded in the store.",
    )
    shards: int = Field(
        16,
        ge=1,
        le=256,
        description="Logical shards of the index; recorded in the store, never changed later.",
    )


class FakeTextSettings(BaseModel, frozen=True, extra="forbid"):
    """How much of a text is scored, and by which language model."""

    max_tokens: int = Field(
        10_000, ge=500, le=1_000_000, description="Tokens scored of a page or message; the rest is left out."
    )
    model: str = Field("", description="Model file of `train model`; empty: the English one that ships.")

    def to_options(self) -> TextOptions:
        """Return the options of reading text."""
        return TextOptions(self.max_tokens, Path(self.model) if self.model else None)


class MetricsSettings(BaseModel, frozen=True, extra="forbid"):
    """Where the worker answers `/metrics`, `/healthz` and `/readyz`."""

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(9464, ge=0, le=65535, description="Port to listen on; 0 takes a free one and logs it.")


def _weight(default: float, reason: str) -> Any:
    return Field(default, ge=0, description=f"Weight of {reason}.")


def _share(default: float, help_text: str) -> Any:
    return Field(default, ge=0, le=1, description=help_text)


class VerdictSettings(BaseModel, frozen=True, extra="forbid"):
    """From which score on a page counts as what, and what each reason weighs."""

    suspect_score: float = Field(3.0, gt=0, description="Sum of weights from which the verdict is `suspect`.")
    spam_score: float = Field(6.0, gt=0, description="Sum of weights from which the verdict is `spam`.")

    quorum: int = Field(3, ge=1, le=32, description="Distinct clients whose reports make a label.")
    labelled: float = _weight(6.0, "STYLE_SPAM and IMATCH_SPAM: a person has judged the cluster")
    labelled_style_of_mail: float = _weight(4.0, "STYLE_SPAM for a message: its HTML may borrow a layout")
    many_domains: float = _weight(1.5, "MANY_DOMAINS")
    same_text: float = _weight(1.0, "SAME_TEXT")
    link_farm: float = _weight(4.5, "LINK_FARM where three quarters of the links lead inward")
    fake_text: float = _weight(3.5, "FAKE_TEXT for a page")
    fake_text_of_mail: float = _weight(2.0, "FAKE_TEXT for a message")
    fake_host: float = _weight(3.5, "FAKE_HOST")
    fake_cluster: float = _weight(
        4.0, "FAKE_CLUSTER; of FAKE_TEXT, FAKE_HOST and this only the weightiest counts"
    )
    spam_provider: float = _weight(6.0, "NS_SPAM")
    spam_link: float = _weight(3.0, "LINK_SPAM")
    least_domains: int = Field(15, ge=2, description="Domains below which a cluster's spread says nothing.")
    least_rank: float = Field(5.0, ge=0, description="Least mean similarity x domains for MANY_DOMAINS.")
    least_links: int = Field(20, ge=1, description="Links to known domains, before LINK_FARM says anything.")
    sparse_links: float = _share(0.5, "Inward share of links up to which LINK_FARM weighs nothing.")
    dense_links: float = _share(0.75, "Inward share of links from which LINK_FARM weighs in full.")
    alike_text: float = _share(0.4, "Share of text that a farm's pages must have in common for SAME_TEXT.")
    least_tokens: int = Field(
        1000, ge=1, description="Tokens of a host or cluster, before FAKE_… is said of it."
    )
    least_fakeness: float = _share(0.5, "Fakeness of all its text from which a host or cluster is fake.")
    allow_domains: str = Field("", description="Domains that are always `ham`, separated by commas.")
    allow_clusters: str = Field("", description="Clusters whose evidence never counts, by id, with commas.")

    def to_rules(self) -> AlertRules:
        """Return the rules of verdicts with these weights and limits."""
        named = {name: value for name, value in self if name in AlertRules.__dataclass_fields__}
        return AlertRules(**named)

    def to_lists(self) -> AllowLists:
        """Return what the operator vouches for."""
        domains, clusters = (
            frozenset(part.strip().lower() for part in text.split(",") if part.strip())
            for text in (self.allow_domains, self.allow_clusters)
        )
        return AllowLists(domains, clusters)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.suspect_score > self.spam_score:
            raise ValueError("suspect_score must not exceed spam_score")
        if self.sparse_links >= self.dense_links:
            raise ValueError("sparse_links must be below dense_links")
        return self


class Settings(BaseSettings):
    """The whole tree; `load_settings` makes it."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", case_sensitive=False, frozen=True, extra="forbid"
    )

    broker: Annotated[str, AfterValidator(_checked_broker)] = Field(
        "kafka://127.0.0.1:9092",
        description="Kafka: kafka://host:port; memory:// (demo and tests) is a broker inside the process.",
    )
    redis: Annotated[str, AfterValidator(_checked_redis)] = Field(
        "redis://127.0.0.1:6379/0",
        description="Store: redis://, rediss://, unix://, or embedded://PATH (our own server on a folder).",
    )
    group: str = Field(
        "hss", pattern=r"^[A-Za-z0-9_.-]{1,128}$", description="Consumer group; part of every event's id."
    )
    topic_prefix: str = Field(
        "hss.", pattern=r"^[A-Za-z0-9_.-]{0,64}$", description="First part of every topic's name."
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description="Least severe message to log."
    )
    log_format: Literal["json", "text"] = Field("json", description="One JSON object a line, or plain text.")
    kafka: KafkaSettings = Field(default_factory=KafkaSettings)
    worker: WorkerSettings = Field(default_factory=WorkerSettings)
    store: StoreSettings = Field(default_factory=StoreSettings)
    metrics: MetricsSettings = Field(default_factory=MetricsSettings)
    gateway: GatewaySettings = Field(default_factory=GatewaySettings)
    verdict: VerdictSettings = Field(default_factory=VerdictSettings)
    faketext: FakeTextSettings = Field(default_factory=FakeTextSettings)

    def require_kafka(self) -> None:
        """Refuse the broker inside the process: a command on its own would look at an empty one."""
        if self.broker.startswith("memory://"):
            raise SettingsError(
                "HSS_BROKER is memory://, which only demo and tests use; set kafka://host:port"
            )

    def require_lasting_store(self) -> None:
        """Refuse a store that ends with the process."""
        if self.redis == "embedded://":
            raise SettingsError(
                "HSS_REDIS is embedded:// without a path, which only demo, replay and tests use; "
                "set redis://host:port/db or embedded://PATH"
            )


@dataclass(frozen=True)
class SettingLine:
    """One setting as `hss-stream settings` shows it."""

    name: str
    value: str
    default: str
    source: str
    help: str


def _leaves(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, tuple[str, ...], FieldInfo]]:
    for field, info in model.model_fields.items():
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            for name, path, leaf in _leaves(info.annotation, f"{prefix}{field.upper()}__"):
                yield name, (field, *path), leaf
        else:
            yield f"{prefix}{field.upper()}", (field,), info


def known_names() -> list[str]:
    """Return every environment variable that is a setting, in the order of the tree."""
    return [name for name, _, _ in _leaves(Settings, PREFIX)]


def _refuse_unknown() -> None:
    known = known_names()
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name not in known:
            near = difflib.get_close_matches(name, known, 1, cutoff=0.75)
            advice = f"did you mean {near[0]}?" if near else "see `hss-stream settings`"
            raise SettingsError(f"reading settings: there is no setting {name}; {advice}")


def load_settings() -> Settings:
    """Return the settings of this process, or raise SettingsError naming the variable at fault."""
    _refuse_unknown()
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        name = PREFIX + "__".join(str(part).upper() for part in first["loc"])
        raise SettingsError(f"reading settings: {name}: {first['msg']}") from None


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, SecretStr):
        return "********"
    return str(value).lower() if isinstance(value, bool) else str(value)


def masked_url(url: str) -> str:
    """Return an address without the password in it."""
    head, at, tail = url.rpartition("@")
    scheme, separator, login = head.partition("://")
    user, colon, _ = login.partition(":")
    return f"{scheme}{separator}{user}{colon and ':********'}{at}{tail}" if at else url


def setting_lines(settings: Settings) -> list[SettingLine]:
    """Return all settings with value (secrets masked), default, where the value came from, and help."""
    lines = []
    for name, path, info in _leaves(Settings, PREFIX):
        value: Any = settings
        for part in path:
            value = getattr(value, part)
        shown = masked_url(_shown(value)) if path in {("redis",), ("broker",)} else _shown(value)
        source = "environment" if name in os.environ else "default"
        lines.append(SettingLine(name, shown, _shown(info.default), source, info.description or ""))
    return lines
