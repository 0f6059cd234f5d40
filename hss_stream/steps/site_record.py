"""A record of `hss.sites`: evidence about one provider, on its way to the one who judges it.

    site   a home page of a domain that the provider serves
    leave  the provider serves a domain no longer
    label  somebody's word about the provider

Each carries the origin of the page (or label) it comes from and the number of its source in the store of
providers: by source and offset it counts once.
"""

import zlib
from base64 import b64decode, b64encode
from binascii import Error as BinasciiError
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from hss_stream.errors import BadPageError
from hss_stream.signals.site_sample import Home
from hss_stream.signals.tag_structure import LENGTH_BINS, TagStructure
from hss_stream.steps.events import Event, Origin

FORMAT = 1
RecordKind = Literal["site", "leave", "label"]
KINDS = ("site", "leave", "label")
# A structure (at most `MOST_TAGS` of two bytes) never unpacks to more.
_MOST_TAG_BYTES = 1 << 17


@dataclass(frozen=True, slots=True)
class SiteRecord:
    """One piece of evidence; `home` of a site, `vote` (label, role, client) of a label."""

    kind: RecordKind
    provider: str
    origin: Origin
    source: int
    at_ms: int
    domain: str = ""
    home: Home | None = None
    nameservers: tuple[str, ...] = ()
    vote: tuple[str, str, str] | None = None

    def to_event(self) -> Event:
        """Return the record as the stream sends it."""
        body = {
            "event": "site", "format": FORMAT, "kind": self.kind, "provider": self.provider,
            "origin": self.origin.to_json(), "source": self.source, "at_ms": self.at_ms,
            "domain": self.domain,
            "home": None if self.home is None else _home_json(self.home),
            "nameservers": self.nameservers, "vote": self.vote,
        }  # fmt: skip
        return Event("site", self.provider, body)

    @classmethod
    def from_bytes(cls, value: bytes | None) -> "SiteRecord":
        """Return the record in a value of the topic; BadPageError when it holds none."""
        try:
            return cls.from_json(orjson.loads(value or b""))
        except (ValueError, KeyError, TypeError, zlib.error, BinasciiError) as error:
            raise BadPageError(f"reading a site record: {type(error).__name__}") from error

    @classmethod
    def from_json(cls, body: dict[str, Any]) -> "SiteRecord":
        """Return the record in an event's body."""
        if body["format"] != FORMAT or body["kind"] not in KINDS:
            raise ValueError("another format")
        group, topic, partition, offset = body["origin"]
        vote = body["vote"]
        return cls(
            body["kind"],
            str(body["provider"]),
            Origin(str(group), str(topic), int(partition), int(offset)),
            int(body["source"]),
            int(body["at_ms"]),
            str(body["domain"]),
            None if body["home"] is None else _home(body["home"]),
            tuple(str(name) for name in body["nameservers"]),
            None if vote is None else (str(vote[0]), str(vote[1]), str(vote[2])),
        )


def _home_json(home: Home) -> dict[str, Any]:
    packed = zlib.compress(home.structure.tags.encode("utf-16-le"), 1)
    return {
        "kind": home.kind, "target": home.target, "flags": home.flags,
        "tags": b64encode(packed).decode(), "lengths": home.structure.lengths,
    }  # fmt: skip


def _home(fields: dict[str, Any]) -> Home:
    unpacking = zlib.decompressobj()
    tags = unpacking.decompress(b64decode(fields["tags"]), _MOST_TAG_BYTES).decode("utf-16-le")
    lengths = tuple(int(count) for count in fields["lengths"])
    if len(lengths) != LENGTH_BINS or not unpacking.eof:
        raise ValueError("a structure of another shape")
    return Home(TagStructure(tags, lengths), int(fields["kind"]), str(fields["target"]), int(fields["flags"]))
