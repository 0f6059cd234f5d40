"""Which clusters a document is the same text as, straight from the definition."""


def slow_candidates(signatures, found):
    """Return for each cluster the set of coordinates that lead there; null signatures lead nowhere."""
    clusters = {cluster for cluster in found if cluster is not None}
    return {
        cluster: {at for at, signature in enumerate(signatures) if signature and found[at] == cluster}
        for cluster in clusters
        if any(signature and found[at] == cluster for at, signature in enumerate(signatures))
    }
