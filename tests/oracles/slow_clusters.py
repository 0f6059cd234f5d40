"""Clusters by style without any probing: all pairs, connected components."""


def slow_clusters(pages, empty, threshold):
    """Return the cluster of each page, named by its first page; pages are lists of slot values."""
    clusters = list(range(len(pages)))
    for one, first in enumerate(pages):
        for other in range(one + 1, len(pages)):
            matching = sum(a == b != empty for a, b in zip(first, pages[other], strict=True))
            if matching >= threshold and clusters[one] != clusters[other]:
                low, high = sorted((clusters[one], clusters[other]))
                clusters = [low if cluster == high else cluster for cluster in clusters]
    return clusters


def slow_pair_scores(clusters, coarse, fine):
    """Return pair precision by the coarse label and pair recall by the fine one, pair by pair."""
    pairs = [(a, b) for a in range(len(clusters)) for b in range(a)]
    joined = [(a, b) for a, b in pairs if clusters[a] == clusters[b]]
    wanted = [(a, b) for a, b in pairs if fine[a] == fine[b]]
    precision = sum(coarse[a] == coarse[b] for a, b in joined) / len(joined) if joined else None
    recall = sum(clusters[a] == clusters[b] for a, b in wanted) / len(wanted) if wanted else None
    return precision, recall
