"""How well a number separates two classes."""

import numpy as np
from numpy.typing import NDArray


def area_under_curve(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> float | None:
    """Return the chance that a positive scores higher than a negative, ties half; None without both."""
    wins, losses = int(np.count_nonzero(positive)), int(np.count_nonzero(~positive))
    if not wins or not losses:
        return None
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    # Equal scores share the mean of the ranks they take.
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return float((ranks[positive].sum() - wins * (wins + 1) / 2) / (wins * losses))
