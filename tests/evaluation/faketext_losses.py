"""What hashing, rounding, pruning and the cap of tokens cost, generator by generator.

`python -m tests.evaluation.faketext_losses SOURCE...` splits the sources as `evaluate faketext` does: a third
of the documents trains, a third makes the generators, a third is natural. JSON lines:

- `coding`: order-3 bits a token by 64-bit keys and full floats against 24-bit fingerprints and 10-bit codes.
- `pruning`: areas under the curve of a model of all n-grams, of those in two documents, and of 24 MB.
- `cap`: recall and false alarms of the shipped model on texts of 20,000 tokens, all of them or the first few.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.progress import Progress

from hss_stream.commands.train_model import read_corpus
from hss_stream.lab.fake_text_evaluation import area_under_curve
from hss_stream.lab.fake_text_training import cut_texts, some_documents
from hss_stream.lab.ngram_counting import TokenSpool
from hss_stream.lab.ngram_training import TrainingOptions, _keys_at, build_model, train_orders
from hss_stream.lab.text_generators import GENERATORS, TextGenerators
from hss_stream.models.shipped_model import load_model
from hss_stream.signals.fake_text import score_sums
from hss_stream.signals.ngram_score import Sum, sum_text

TEXTS = 40
WORDS, LONG = 2000, 20_000
CAPS = (2000, 5000, 10_000, 20_000)
MEASURES = {
    "perplexity_3": lambda sums: -sums[Sum.LOG_3] / sums[Sum.TOKENS],
    "penalty_3": lambda sums: sums[Sum.PENALTY_3] / max(sums[Sum.KNOWN_3], 1),
    "penalty_4": lambda sums: sums[Sum.PENALTY_4] / max(sums[Sum.KNOWN_4], 1),
}


def exact_bits(orders, unknown, tokens):
    """Return order-3 bits a token by whole keys and unrounded values."""
    tokens = tokens | np.uint64(1)
    logs, found = np.full(tokens.size, unknown), None
    for order in orders[:3]:
        size = order.ngrams.order
        ends = np.arange(size - 1, tokens.size)
        keys = _keys_at(tokens, ends, size)
        places = np.minimum(np.searchsorted(order.ngrams.keys, keys), order.ngrams.keys.size - 1)
        here = np.full(tokens.size, -1)
        here[ends] = np.where(order.ngrams.keys[places] == keys, places, -1)
        if found is not None:
            history = np.concatenate(([-1], found[:-1]))
            below = orders[size - 2].backoff
            logs = logs + np.where(history >= 0, below[history], 0.0)
        logs = np.where(here >= 0, order.log[here], logs)
        found = here
    return -float(logs.mean())


def coding_rows(orders, unknown, texts) -> Iterator[dict]:
    """Return how far the coded model is from the exact one, and what that does to the area."""
    model = build_model(orders, unknown)
    exact = {
        name: np.array([exact_bits(orders, unknown, text) for text in many]) for name, many in texts.items()
    }
    coded = {
        name: np.array([MEASURES["perplexity_3"](sum_text(model, text)) for text in many])
        for name, many in texts.items()
    }
    for name in texts:
        yield {
            "loss": "coding",
            "case": name,
            "bits": round(float(exact[name].mean()), 4),
            "greatest_error_bits": round(float(np.abs(exact[name] - coded[name]).max()), 5),
            "auc_exact": round(area_under_curve(exact["natural"], exact[name]), 4),
            "auc_coded": round(area_under_curve(coded["natural"], coded[name]), 4),
        }


def pruning_rows(corpus, texts) -> Iterator[dict]:
    """Return the areas of models that keep ever less."""
    kept = {
        "all": TrainingOptions(1, max_bytes=1 << 31),
        "two documents": TrainingOptions(2, max_bytes=1 << 31),
        "24 MB": TrainingOptions(2),
    }
    for kind, options in kept.items():
        orders, unknown = train_orders(corpus, options)
        model = build_model(orders, unknown)
        sums = {name: [sum_text(model, text) for text in many] for name, many in texts.items()}
        for name in texts:
            areas = {
                measure: round(
                    area_under_curve(
                        np.array([value(one) for one in sums["natural"]]),
                        np.array([value(one) for one in sums[name]]),
                    ),
                    4,
                )
                for measure, value in MEASURES.items()
            }
            ngrams = [order.log.size for order in orders]
            yield {"loss": "pruning", "kept": kind, "ngrams": ngrams, "case": name, **areas}


def cap_rows(texts) -> Iterator[dict]:
    """Return the share called fake when only the first tokens of a long text are scored."""
    model = load_model().model
    for name, many in texts.items():
        called = {
            str(cap): float(
                np.mean(
                    [score_sums(model, sum_text(model.ngrams, text[:cap])).verdict == "fake" for text in many]
                )
            )
            for cap in CAPS
        }
        yield {"loss": "cap", "case": name, "called_fake_by_cap": called}


def rows(sources: list[str]) -> Iterator[dict]:
    """Return all losses."""
    chance = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder, TokenSpool(Path(folder) / "tokens") as spool:
        corpus = read_corpus(sources, None, spool, None, Progress(disable=True))
        third = corpus.draws % np.uint64(3)
        generators = TextGenerators(some_documents(corpus.where(third == 1), 4_000_000, chance))
        reference = some_documents(corpus.where(third == 2), 4_000_000, chance)

        def texts(words, count):
            natural = cut_texts(reference, words, count, chance)
            made = {
                name: [generators.write(name, words, chance, natural[i % len(natural)]) for i in range(count)]
                for name in GENERATORS
            }
            return {"natural": natural} | made

        training, short = corpus.where(third == 0), texts(WORDS, TEXTS)
        yield from coding_rows(*train_orders(training, TrainingOptions()), short)
        yield from pruning_rows(training, short)
        yield from cap_rows(texts(LONG, TEXTS // 2))


if __name__ == "__main__":
    for row in rows(sys.argv[1:]):
        print(json.dumps(row), flush=True)  # noqa: T201 - JSON lines on stdout are its purpose
