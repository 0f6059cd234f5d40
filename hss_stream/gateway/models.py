"""What requests and answers hold, typed in one place; OpenAPI is written from these.

Answers are built as plain objects on the hot path and written by orjson; tests hold them to these models.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

VerdictName = Literal["spam", "suspect", "ham", "unknown"]
LabelName = Literal["spam", "ham", "none"]
MAX_SUBJECTS = 1000

Name = Annotated[str, StringConstraints(min_length=1, max_length=253)]
Url = Annotated[str, StringConstraints(min_length=1, max_length=8192)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ReasonAnswer(_Model):
    """One piece of evidence and the facts it rests on."""

    name: str
    weight: float
    facts: dict[str, str | int | float]


class VerdictAnswer(_Model):
    """What a message or page is called, and why. `degraded`: the store could not be asked."""

    format: Literal[1] = 1
    verdict: VerdictName
    score: float
    reasons: list[ReasonAnswer]
    cluster: str | None = Field(description="Its mail campaign or style cluster; null when it is in none.")
    fingerprint: str | None = Field(description="Enough to label this message or page later.")
    degraded: bool = False
    took_ms: float


class UrlAnswer(VerdictAnswer):
    """What is known of a URL without reading the page."""

    domain: str
    matched_by: Literal["page", "domain"] | None = Field(
        description="Whether this very page is known, or only its domain; null when neither is."
    )


class NameserverCluster(_Model):
    """A group of like home pages at one provider."""

    size: int
    radius: float
    mean_distance: float
    center: str
    spam: bool


class NameserverAnswer(_Model):
    """What is known of the provider of a name server; `state` is null when nothing is."""

    format: Literal[1] = 1
    verdict: VerdictName
    score: float
    reasons: list[ReasonAnswer]
    provider: str
    state: Literal["too_few", "watch", "spam", "clean"] | None
    sites: int | None
    average_radius: float | None
    clusters: list[NameserverCluster] | None
    degraded: bool = False
    took_ms: float


class ClusterAnswer(_Model):
    """A cluster as it is now; of a merged one, its survivor."""

    format: Literal[1] = 1
    cluster: str
    asked: str = Field(description="The id that was asked for; another one when it was merged.")
    space: Literal["style", "text", "mail"]
    pages: int
    domains: int
    mean_similarity: float | None
    kind: str | None = Field(alias="class")
    label: LabelName
    prototype: str | None
    samples: list[str]
    degraded: bool = False
    took_ms: float


class LookupRequest(_Model):
    """Many names and URLs in one request."""

    names: list[Name] = Field(default_factory=list, description="Name servers or providers.")
    urls: list[Url] = Field(default_factory=list)

    @model_validator(mode="after")
    def _some_but_not_too_many(self) -> "LookupRequest":
        if not 1 <= len(self.names) + len(self.urls) <= MAX_SUBJECTS:
            raise ValueError(f"give 1 to {MAX_SUBJECTS} names and URLs together")
        return self


class LookupAnswer(_Model):
    """The answers in the order asked: first the names, then the URLs."""

    format: Literal[1] = 1
    names: list[NameserverAnswer]
    urls: list[UrlAnswer]
    degraded: bool = False
    took_ms: float


class LabelRequest(_Model):
    """Somebody's word about a cluster, page, name server or message."""

    subject: Literal["cluster", "url", "nameserver", "mail"]
    id: Annotated[str, StringConstraints(min_length=1, max_length=8192)] = Field(
        description="A cluster id, a URL, a provider, or the fingerprint of a message."
    )
    label: LabelName
    note: Annotated[str, StringConstraints(max_length=1000)] = ""


class LabelAnswer(_Model):
    """A label that Kafka has acknowledged; it counts once a worker has applied it."""

    format: Literal[1] = 1
    subject: str
    id: str
    label: LabelName
    role: Literal["editor", "reporter"]
    took_ms: float


class HealthAnswer(_Model):
    """Whether the gateway is alive or ready, and if not, why."""

    status: Literal["ok", "not_ready"]
    checks: dict[str, str] = Field(default_factory=dict)


class ProblemAnswer(BaseModel):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str


def to_schemas() -> dict[str, Any]:
    """Return the JSON Schema of every model by name, for OpenAPI."""
    from pydantic.json_schema import models_json_schema  # noqa: PLC0415 - only `/openapi.json` needs it

    models = (
        VerdictAnswer, UrlAnswer, NameserverAnswer, ClusterAnswer, LookupRequest, LookupAnswer,
        LabelRequest, LabelAnswer, HealthAnswer, ProblemAnswer,
    )  # fmt: skip
    _, definitions = models_json_schema(
        [(model, "serialization") for model in models], ref_template="#/components/schemas/{model}"
    )
    schemas: dict[str, Any] = definitions["$defs"]
    return schemas
