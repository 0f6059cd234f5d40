"""The paper's tables on a corpus of the user's, and what the shipped threshold does to natural text.

`paper_rows` splits the documents into three: one part trains the detector, one the generators, the third is
the natural reference (section 3.3 of the paper). Thresholds are tuned on a third of the texts.
`default_rows` asks a ready model for its verdicts: false alarms by genre, recall by generator.
`left_out_rows` reports on genres that neither the model nor its calibration has seen.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hss_stream.lab.calibration import Sample
from hss_stream.lab.fake_text_training import LeftOut, cut_texts, fit_without, some_documents
from hss_stream.lab.ngram_counting import Corpus
from hss_stream.lab.ngram_training import TrainingOptions, build_model, train_orders
from hss_stream.lab.paper_tables import paper_figures
from hss_stream.lab.text_generators import GENERATORS, TextGenerators, Tokens
from hss_stream.signals.fake_text import MAX_TOKENS, THRESHOLD, FakeTextModel, score_sums
from hss_stream.signals.ngram_score import Sum, sum_text
from hss_stream.signals.ngram_table import NgramModel

Floats = NDArray[np.float64]
Row = dict[str, Any]

LENGTHS = (2000, 5000, 10000)
VERDICT_LENGTHS = (500, 2000)
TEXTS = 60
# Fewer natural texts of a length make no table.
LEAST_TEXTS = 6
GENERATOR_TOKENS = 6_000_000


def area_under_curve(natural: Floats, fake: Floats) -> float:
    """Return the chance that a fake text has the higher score of the two; ties count half."""
    both = np.concatenate((natural, fake))
    _, place, counts = np.unique(both, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return float((ranks[natural.size :].sum() - fake.size * (fake.size + 1) / 2) / (natural.size * fake.size))


def f_measure(natural: Floats, fake: Floats) -> tuple[float, float, float]:
    """Return precision, recall and F at the threshold that is best on every third text, on the others."""
    tuning = np.concatenate((natural[::3], fake[::3]))
    is_fake = np.repeat([False, True], [natural[::3].size, fake[::3].size])
    best = max(np.unique(tuning), key=lambda limit: _precision_recall(tuning, is_fake, limit)[2])
    rest = [np.delete(scores, np.s_[::3]) for scores in (natural, fake)]
    return _precision_recall(
        np.concatenate(rest), np.repeat([False, True], [rest[0].size, rest[1].size]), float(best)
    )


def _precision_recall(scores: Floats, is_fake: NDArray[np.bool_], limit: float) -> tuple[float, float, float]:
    called = scores >= limit
    right = float((called & is_fake).sum())
    precision = right / max(float(called.sum()), 1.0)
    recall = right / max(float(is_fake.sum()), 1.0)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def wilson_interval(hits: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of a share."""
    if not total:
        return 0.0, 1.0
    z = 1.96
    share = hits / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return max(0.0, middle - half), min(1.0, middle + half)


def _measures(sums: Sequence[Floats]) -> dict[tuple[int, int], Floats]:
    """Return perplexities (table 2) and penalties (table 3) of orders 3 and 4 of many texts."""
    rows = np.array(sums)
    tokens = np.maximum(rows[:, Sum.TOKENS], 1)
    known = np.maximum(rows[:, [Sum.KNOWN_3, Sum.KNOWN_4]], 1)
    return {
        (2, 3): -rows[:, Sum.LOG_3] / tokens,
        (2, 4): -rows[:, Sum.LOG_4] / tokens,
        (3, 3): rows[:, Sum.PENALTY_3] / known[:, 0],
        (3, 4): rows[:, Sum.PENALTY_4] / known[:, 1],
    }


def paper_rows(
    corpus: Corpus, options: TrainingOptions, ready: NgramModel, seed: int, one_in: int = 0
) -> Iterator[Row]:
    """Return tables 2 and 3 with a detector trained on a third of the corpus, and 4 with a ready model.

    Where one document in `one_in` was held out from the ready model, table 4 is made of these alone.
    """
    chance = np.random.default_rng(seed)
    third = corpus.draws % np.uint64(3)
    unlearnt = corpus.draws % np.uint64(one_in) == 0 if one_in else np.ones(third.size, bool)
    trained = build_model(*train_orders(corpus.where(third == 0), options))
    for model, tables, wanted in ((trained, (2, 3), np.ones(third.size, bool)), (ready, (4,), unlearnt)):
        sources = some_documents(corpus.where(wanted & (third == 1)), GENERATOR_TOKENS, chance)
        reference = some_documents(corpus.where(wanted & (third == 2)), GENERATOR_TOKENS, chance)
        if not sources or not reference:
            continue
        generators = TextGenerators(sources, "report")
        for words in LENGTHS:
            natural = cut_texts(reference, words, TEXTS, chance)
            if len(natural) < LEAST_TEXTS:
                continue
            texts = {
                name: [generators.write(name, words, chance, natural[i % len(natural)]) for i in range(TEXTS)]
                for name in GENERATORS
            }
            yield from _table_rows(model, tables, natural, texts, words)


def _table_rows(
    model: NgramModel,
    tables: Sequence[int],
    natural: Sequence[Tokens],
    texts: Mapping[str, Sequence[Tokens]],
    words: int,
) -> Iterator[Row]:
    usual = _measures([sum_text(model, text) for text in natural])
    for name, fakes in texts.items():
        odd = _measures([sum_text(model, text) for text in fakes])
        for table in tables:
            for order in (3, 4):
                key = (3 if table == 4 else table, order)
                precision, recall, f = f_measure(usual[key], odd[key])
                yield {
                    "case": name,
                    "table": table,
                    "words": words,
                    "measure": f"{'perplexity' if table == 2 else 'penalty'}_{order}",
                    "precision": precision,
                    "recall": recall,
                    "f": f,
                    "auc": area_under_curve(usual[key], odd[key]),
                    **paper_figures(table, name, words, order),
                }


def _fakeness(model: FakeTextModel, sums: Floats) -> float:
    return score_sums(model, sums).fakeness or 0.0


def default_rows(
    model: FakeTextModel, corpus: Corpus, genres: Sequence[str], texts: int, seed: int
) -> Iterator[Row]:
    """Return false alarms of a ready model by genre, and recall and area by generator over all genres.

    Natural texts are cut to each length; with `words` null each document counts as it is. Words are stuffed
    only into texts that the model can judge: what it cannot read stays unknown when it is stuffed.
    """
    chance = np.random.default_rng(seed)
    generators = TextGenerators(some_documents(corpus, GENERATOR_TOKENS, chance), "report")
    by_genre = [list(corpus.where(corpus.genres == number).documents()) for number in range(len(genres))]
    for genre, documents in zip(genres, by_genre, strict=True):
        scored = [sum_text(model.ngrams, document[:MAX_TOKENS]) for document in documents]
        yield _natural_row(model, genre, None, scored)
    for words in VERDICT_LENGTHS:
        natural: list[Tokens] = []
        for genre, documents in zip(genres, by_genre, strict=True):
            here = cut_texts(documents, words, texts, chance)
            natural.extend(here)
            yield _natural_row(model, genre, words, [sum_text(model.ngrams, text) for text in here])
        scores = [score_sums(model, sum_text(model.ngrams, text)).fakeness for text in natural]
        usual = np.array([score or 0.0 for score in scores])
        judged = [text for text, score in zip(natural, scores, strict=True) if score is not None]
        for name in GENERATORS if judged else ():
            fakes = [
                generators.write(name, words, chance, judged[int(chance.integers(len(judged)))])
                for _ in range(texts)
            ]
            odd = np.array([_fakeness(model, sum_text(model.ngrams, text)) for text in fakes])
            yield _fake_row(name, None, words, usual, odd)


def _natural_row(model: FakeTextModel, genre: str, words: int | None, sums: Sequence[Floats]) -> Row:
    """Return how many of the texts long enough to be judged are called fake."""
    verdicts = [verdict for one in sums if (verdict := score_sums(model, one).verdict) != "too_short"]
    alarms = verdicts.count("fake")
    low, high = wilson_interval(alarms, len(verdicts))
    return {
        "case": "natural",
        "genre": genre,
        "words": words,
        "texts": len(verdicts),
        "false_alarms": alarms / max(len(verdicts), 1),
        "low": low,
        "high": high,
        "unknown_language": verdicts.count("unknown_language") / max(len(verdicts), 1),
    }


def _fake_row(name: str, genre: str | None, words: int, usual: Floats, odd: Floats) -> Row:
    low, high = wilson_interval(int((odd >= THRESHOLD).sum()), odd.size)
    return {
        "case": name,
        "genre": genre,
        "words": words,
        "texts": odd.size,
        "recall": float((odd >= THRESHOLD).mean()),
        "low": low,
        "high": high,
        "auc": area_under_curve(usual, odd),
    }


def left_out_rows(runs: Sequence[LeftOut], ngrams: NgramModel, main: str) -> Iterator[Row]:
    """Return, for each genre left out of training and calibration: false alarms, recall and area.

    Fakes are built on the main genre, whose words the detector knows well (`source` main), and on the genre
    left out itself (`source` own). The rows of genre `all` put the texts of all genres together.
    """
    usual: dict[int, list[Floats]] = {}
    odd: dict[tuple[str, str, int], list[Floats]] = {}
    for run in runs:
        if run.genre == main:
            continue
        model = FakeTextModel(ngrams, fit_without(runs, run.genre))
        for words in VERDICT_LENGTHS:
            here = [sample for sample in run.report if sample.length == words]
            natural = _of(here, None, run.genre)
            if not natural:
                continue
            yield _natural_row(model, run.genre, words, natural)
            usual.setdefault(words, []).append(np.array([_fakeness(model, sums) for sums in natural]))
            for name, (source, genre) in product(GENERATORS, (("main", main), ("own", run.genre))):
                fakes = np.array([_fakeness(model, sums) for sums in _of(here, name, genre)])
                odd.setdefault((name, source, words), []).append(fakes)
                yield _fake_row(name, run.genre, words, usual[words][-1], fakes) | {"source": source}
    for (name, source, words), parts in odd.items():
        together = _fake_row(name, "all", words, np.concatenate(usual[words]), np.concatenate(parts))
        yield together | {"source": source}


def _of(samples: Sequence[Sample], generator: str | None, genre: str) -> list[Floats]:
    return [one.sums for one in samples if one.generator == generator and one.genre == genre]
