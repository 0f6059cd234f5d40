"""Table 1 and figure 2 of the 2004 paper on one's own mail or pages."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hss_stream.lab.imatch_documents import Document, sign_documents, without_duplicates
from hss_stream.lab.imatch_stability import measure_stability
from hss_stream.lab.near_duplicates import Found, find_near_duplicates
from hss_stream.signals.imatch import COORDINATES
from hss_stream.signals.lexicon import COPIES, Lexicon

# The rows of table 1: the single signature, and with so many copies.
TABLE_COPIES = (0, 2, 5, 10)


def evaluate_matching(
    documents: list[Document], lexicon: Lexicon, ham: list[Document] | None
) -> tuple[Found, list[dict[str, Any]]]:
    """Return what is found, and the rows of table 1, with false matches where ham is given."""
    distinct = without_duplicates(documents)
    found = find_near_duplicates([one.words for one in distinct], sign_documents(distinct, lexicon))
    false = count_false(documents, ham, lexicon) if ham is not None else None
    rows = [_row(found, copies) for copies in TABLE_COPIES]
    for row, copies in zip(rows, TABLE_COPIES, strict=True):
        row |= {"documents": len(distinct), "queries": found.queries, "near_pairs": found.near_pairs}
        if false is not None and ham is not None:
            row |= {"ham": len(ham), "false_matches": int(false[copies])}
    return found, rows


def _row(found: Found, copies: int) -> dict[str, Any]:
    recall, matched = float(found.recall[copies]), int(found.matched_pairs[copies])
    precision = int(found.matched_near[copies]) / matched if matched else None
    total = (precision or 0) + recall
    single = float(found.recall[0])
    return {
        "case": f"+{copies}" if copies else "single",
        "precision": None if precision is None else round(precision, 4),
        "recall": round(recall, 4),
        "f": round(2 * (precision or 0) * recall / total, 4) if total else None,
        "auc": None,
        "relative_increase": round(recall / single - 1, 4) if single else None,
    }


def count_false(spam: list[Document], ham: list[Document], lexicon: Lexicon) -> NDArray[np.int64]:
    """Return, for 0 to 10 copies, how many ham documents agree with any spam on any coordinate."""
    spam_signatures, ham_signatures = sign_documents(spam, lexicon), sign_documents(ham, lexicon)
    agrees = np.zeros((len(ham), COORDINATES), bool)
    for coordinate in range(COORDINATES):
        known = spam_signatures[:, coordinate]
        agrees[:, coordinate] = np.isin(ham_signatures[:, coordinate], known[known != 0])
    return np.asarray(np.logical_or.accumulate(agrees, axis=1).sum(axis=0), np.int64)


def stability_rows(documents: list[Document], lexicon: Lexicon, seed: int) -> list[dict[str, Any]]:
    """Return what share of the documents keeps a coordinate under changes, beside equation 1."""
    return [
        {"case": case, "stability": round(stability, 4), **facts}
        for case, stability, facts in measure_stability(without_duplicates(documents), lexicon, seed)
    ]


def plot_recall(found: Found, path: Path) -> None:
    """Draw recall by number of copies: figure 2 of the paper for pages, figure 3 for mail."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - a second to import, and only plots need it

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    axes.plot(range(COPIES + 1), found.recall, marker="o")
    axes.set(xlabel="randomised copies of the lexicon", ylabel="recall of near duplicates", ylim=(0, 1))
    axes.grid(alpha=0.3)
    figure.savefig(path)
