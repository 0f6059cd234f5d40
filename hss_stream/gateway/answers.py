"""What the look-ups found, as the objects that answers hold (`models.py` says which).

Plain dicts: building and checking models would cost more than the look-up of a kept name.
"""

from typing import Any

from hss_stream.gateway.lookups import Looked
from hss_stream.steps.look_up_cluster import FoundCluster
from hss_stream.steps.look_up_nameserver import NameVerdict
from hss_stream.steps.look_up_page import SubjectVerdict
from hss_stream.steps.look_up_url import UrlVerdict
from hss_stream.verdicts.cluster_class import CLASS_NAMES
from hss_stream.verdicts.cluster_id import SPACES, STYLE

FORMAT = 1


def verdict_answer(looked: Looked[SubjectVerdict], fingerprint: str | None) -> dict[str, Any]:
    """Return the answer about a message or page, but for the time it took."""
    found = looked.found
    return {
        "format": FORMAT,
        **found.verdict.to_json(),
        "cluster": found.cluster,
        "fingerprint": fingerprint,
        "degraded": looked.degraded,
    }


def url_answer(looked: Looked[UrlVerdict]) -> dict[str, Any]:
    """Return the answer about a URL."""
    found = looked.found
    return {
        **verdict_answer(Looked(found.found, looked.degraded), None),
        "domain": found.domain,
        "matched_by": found.matched_by,
    }


def name_answer(looked: Looked[NameVerdict]) -> dict[str, Any]:
    """Return the answer about a name server."""
    found = looked.found
    return {
        "format": FORMAT,
        **found.verdict.to_json(),
        "provider": found.provider,
        "state": found.state,
        "sites": found.sites,
        "average_radius": found.average_radius,
        "clusters": found.clusters,
        "degraded": looked.degraded,
    }


def cluster_answer(found: FoundCluster, asked: str) -> dict[str, Any]:
    """Return the answer about a cluster."""
    record = found.record
    is_style = found.space == STYLE
    return {
        "format": FORMAT,
        "cluster": found.name,
        "asked": asked,
        "space": SPACES[found.space],
        "pages": record.pages,
        "domains": record.domains,
        "mean_similarity": round(found.mean_similarity, 4) if is_style else None,
        "class": CLASS_NAMES[record.kind] if is_style else None,
        "label": found.label,
        "prototype": found.prototype or None,
        "samples": [sample.decode("utf-8", "replace") for sample in record.samples],
        "degraded": False,
    }
