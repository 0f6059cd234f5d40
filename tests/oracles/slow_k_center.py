"""Furthest point first without any shortcut."""


def slow_k_center(pages, clusters, distance):
    """Return centres and each page's distance to the nearest, by plain FPF; ties to the earlier page."""
    centers = [0]
    nearest = [distance(page, pages[0]) for page in pages]
    while len(centers) < min(clusters, len(pages)) and max(nearest) > 0:
        newest = nearest.index(max(nearest))
        centers.append(newest)
        nearest = [min(old, distance(page, pages[newest])) for old, page in zip(nearest, pages, strict=True)]
    return centers, nearest
