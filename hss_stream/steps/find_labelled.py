"""Find the cluster a label is about: by its id, by a fingerprint, or by the URL of a page that is remembered.

Reads the stores of the spaces, writes nothing. A URL that only leads to its domain is refused: one page's
label must not speak for a whole site.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hss_stream.signals.fingerprint import NO_SKETCH, Fingerprint
from hss_stream.steps.candidates import KeptRepresentatives, SketchedPage, look_up
from hss_stream.steps.judge_pages import TEXT_RULES, text_words
from hss_stream.steps.look_up_cluster import FoundCluster, look_up_cluster
from hss_stream.steps.scan_page import domain_of_url
from hss_stream.store.cluster_store import ClusterStore
from hss_stream.store.layout import domain_hash, stored_url
from hss_stream.verdicts.cluster_id import MAIL, STYLE, TEXT, from_text
from hss_stream.verdicts.cluster_rules import ClusterRules
from hss_stream.verdicts.text_match import computed_coordinates, text_sketch

STYLE_RULES = ClusterRules()


@dataclass(frozen=True)
class Refused:
    """Why a label finds no cluster."""

    why: str


class FindLabelled:
    """The step; `stores` by the letter of the space."""

    def __init__(self, stores: Mapping[str, ClusterStore]) -> None:
        self.stores = stores
        self.kept = {space: KeptRepresentatives() for space in stores}

    async def __call__(self, subject: str, name: str) -> FoundCluster | Refused:
        """Return the living cluster, or why there is none."""
        if subject == "cluster":
            return await self.by_id(name)
        if subject == "mail":
            return await self.by_fingerprint(name)
        if subject == "url":
            return await self.by_fingerprint(name) if _is_fingerprint(name) else await self.by_url(name)
        return Refused(f"labels of subject {subject[:20]!r} are not applied here")

    async def by_id(self, name: str) -> FoundCluster | Refused:
        """Return the cluster of an id, or its survivor."""
        try:
            space, identity = from_text(name)
        except ValueError as error:
            return Refused(str(error))
        found = await self.living(space, identity)
        return found or Refused("no such cluster (any more)")

    async def living(self, space: str, identity: int) -> FoundCluster | None:
        """Return a living cluster of a space; None where the space or the cluster is missing."""
        if space not in self.stores:
            return None
        rules = STYLE_RULES if space == STYLE else TEXT_RULES
        return await look_up_cluster(self.stores[space], rules, space, identity)

    async def by_fingerprint(self, name: str) -> FoundCluster | Refused:
        """Return the cluster a fingerprint matches: mail in its campaign, pages by text, else by style."""
        try:
            mark = Fingerprint.from_hex(name)
        except ValueError as error:
            return Refused(str(error))
        space = MAIL if mark.kind == "mail" else TEXT
        found = None
        if computed_coordinates(mark.signatures):
            found = await self.best(space, text_sketch(mark.lexicon, mark.signatures), TEXT_RULES)
        return found or Refused("its text matches no cluster; label its cluster by id")

    async def best(self, space: str, sketch: bytes, rules: ClusterRules) -> FoundCluster | None:
        """Return the living cluster whose representative matches a sketch best."""
        if space not in self.stores or sketch == NO_SKETCH:
            return None
        words = text_words(np.frombuffer(sketch, ">u2").astype(np.uint32))
        page = SketchedPage(0, 0, 0, sketch, words)
        view = await look_up(self.stores[space], self.kept[space], rules, 0, [page], space)
        for candidate in view.candidates_of(0):
            found = await self.living(space, view.owners[candidate.representative])
            if found is not None:
                return found
        return None

    async def by_url(self, url: str) -> FoundCluster | Refused:
        """Return the style cluster that remembers this very page."""
        store = self.stores[STYLE]
        [record] = await store.read_domains([domain_hash(domain_of_url(url))])
        found = None if record is None else await self.living(STYLE, record.latest)
        stored = stored_url(url)
        if found is not None and (stored in found.record.samples or found.prototype.encode() == stored):
            return found
        if found is not None:
            further = await store.read_representatives(list(found.record.further))
            if any(one is not None and one.url == stored for one in further):
                return found
        return Refused("this page is not remembered; send its fingerprint or its cluster's id")


def _is_fingerprint(name: str) -> bool:
    """Tell a fingerprint from a URL."""
    return not name.strip("0123456789abcdef")
