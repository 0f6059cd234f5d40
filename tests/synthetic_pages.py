"""Scanned pages without HTML: sketches of numbered templates with a share of slots replaced."""

import numpy as np

from hss_stream.signals.probes import PROBE_SLOTS
from hss_stream.signals.text_likeness import EMPTY
from hss_stream.steps.candidates import SketchedPage
from hss_stream.steps.events import Origin
from hss_stream.steps.scan_page import ScannedPage
from hss_stream.store.layout import domain_hash, stored_url

START = 1_700_000_000


def template_values(template: int) -> np.ndarray:
    """Return the 128 words of a template."""
    return np.random.default_rng(template).integers(1, 2**32, 128, np.uint32)


def noisy_values(template: int, page: int, noise: float) -> np.ndarray:
    """Return the words of a page of a template, a share of them replaced by its own."""
    chance = np.random.default_rng((template + 1) * 1_000_003 + page)
    values = template_values(template)
    replaced = chance.random(128) < noise
    values[replaced] = chance.integers(1, 2**32, int(replaced.sum()), np.uint32)
    return values


def page_of_values(
    offset: int, values: np.ndarray, *, at: int = START, domain: str = "a.example", url: str | None = None,
    partition: int = 0, links: tuple[str, ...] = (), text: bytes = EMPTY, excluded: int | None = None,
) -> ScannedPage:  # fmt: skip
    """Return a page whose slots hold these 32-bit words (0: empty)."""
    low = (values & 0xFFFF).astype(np.uint16)
    low[(low == 0) & (values != 0)] = 1
    words = ((values & np.uint32(0xFFFF0000)) | low)[PROBE_SLOTS].astype(np.uint32)
    name = url if url is not None else f"https://{domain}/{offset}"
    hashes = tuple(sorted(domain_hash(link) for link in links))
    sketched = SketchedPage(
        offset, at, domain_hash(domain), low.astype(">u2").tobytes(), words, hashes, text, excluded
    )
    origin = Origin("test", "pages", partition, offset)
    return ScannedPage(origin, name, at * 1000, domain, stored_url(name), sketched)


def template_page(
    offset: int, template: int, *, noise: float = 0.4, page: int | None = None, **more: object
) -> ScannedPage:
    """Return a page of a numbered template."""
    return page_of_values(offset, noisy_values(template, offset if page is None else page, noise), **more)
