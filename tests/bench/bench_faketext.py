"""From raw text to all scores, against KenLM of order 3 on tokens that are ready.

KenLM reads the ARPA file that `train model` writes of the same corpus, so both know the same n-grams. It is
given words already split and joined by single spaces, and does nothing but look them up.
"""

import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kenlm
import numpy as np

from hss_stream.lab.arpa import WordList, split_words, write_arpa
from hss_stream.lab.corpus_text import record_documents
from hss_stream.lab.crawl_fake import own_corpus
from hss_stream.lab.ngram_counting import TokenSpool
from hss_stream.lab.ngram_training import TrainingOptions, build_model, train_orders
from hss_stream.signals.fake_text import FakeTextModel, FakeTextScorer, score_sums
from hss_stream.signals.ngram_score import sum_text
from hss_stream.signals.words import WordHasher
from hss_stream.sources.records import open_source
from tests.bench.measure import best_seconds, evaluation_corpus, rate_row

TEXTS = 100
TRAINING_DOCUMENTS = 1500


def documents() -> tuple[list[bytes], str]:
    """Return texts of a real corpus where there is one, else generated sentences."""
    folder = evaluation_corpus("text-enwiki2015")
    if folder is None:
        prose = " ".join((*own_corpus("tune"), *own_corpus("report"))).encode()
        return [prose[begin : begin + 6000] for begin in range(0, len(prose), 3000)], "generated"
    found = (text for record in open_source(folder) for text in record_documents(record))
    return [text for text, _ in zip(found, range(TRAINING_DOCUMENTS), strict=False)], folder.name


def train(texts: list[bytes], folder: Path) -> tuple[FakeTextModel, kenlm.Model]:
    """Return our model and KenLM's of order 3, of the same n-grams."""
    hasher, words = WordHasher(), WordList()
    with TokenSpool(folder / "tokens") as spool:
        for text in texts:
            spool.add(hasher.hash(text))
            words.add(text)
        orders, unknown = train_orders(spool.corpus(), TrainingOptions())
        write_arpa(folder / "three.arpa", orders[:3], unknown, spool.corpus().tokens, words)
    return FakeTextModel(build_model(orders, unknown), None), kenlm.Model(str(folder / "three.arpa"))


def scorers(texts: list[bytes], model: FakeTextModel, peer: kenlm.Model) -> dict[str, Callable[[], object]]:
    """Return the contestants; each works through all texts."""
    ready = [" ".join(split_words(text)) for text in texts]
    hasher, scorer = WordHasher(), FakeTextScorer(model)

    def all_scores() -> float:
        return sum(scorer.score(text).perplexity_3 or 0.0 for text in texts)

    def order_3() -> float:
        sums = [sum_text(model.ngrams, hasher.hash(text), orders=3) for text in texts]
        return sum(score_sums(model, one).perplexity_3 or 0.0 for one in sums)

    return {
        "all scores": all_scores,
        "order 3": order_3,
        "tokenising": lambda: [hasher.hash(text) for text in texts],
        "kenlm": lambda: [peer.score(text, bos=False, eos=False) for text in ready],
    }


def two_threads(texts: list[bytes], model: FakeTextModel) -> Callable[[], object]:
    """Return a contestant that halves the texts between two threads."""
    pool = ThreadPoolExecutor(2)
    ours = (FakeTextScorer(model), FakeTextScorer(model))

    def work(part: int) -> list[object]:
        return [ours[part].sums(text) for text in texts[part::2]]

    return lambda: list(pool.map(work, range(2)))


def rows(*, slow: bool) -> Iterator[dict]:
    """Return tokens a second, ours from raw bytes, KenLM's on ready tokens."""
    del slow
    corpus, name = documents()
    with tempfile.TemporaryDirectory() as folder:
        model, peer = train(corpus[: len(corpus) * 9 // 10], Path(folder))
    texts = [text[:60_000] for text in corpus[len(corpus) * 9 // 10 :][:TEXTS]]
    tokens = float(np.sum([WordHasher().hash(text).size for text in texts]))
    contestants = scorers(texts, model, peer) | {"two threads": two_threads(texts, model)}
    best = best_seconds(contestants)
    for what in ("all scores", "order 3", "tokenising", "two threads"):
        yield rate_row(
            "tokens_per_second",
            tokens / best[what],
            "kenlm",
            tokens / best["kenlm"],
            work=what,
            threads=2 if what == "two threads" else 1,
            corpus=name,
        )
