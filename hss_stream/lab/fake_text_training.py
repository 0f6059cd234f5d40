"""Calibrating a language model on genres it has never seen.

Each genre is left out in turn: a model is trained on the others, and texts of the genre left out, natural
ones and those of generators built on it, are scored by it. What is fitted to these scores expects new genres,
because every genre was new to the model that scored it. A genre with more than half of all tokens is never
left out (the model without it would be another one); of that one, documents set aside are scored.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hss_stream.lab.calibration import LENGTHS, Sample, fit_calibration
from hss_stream.lab.ngram_counting import Corpus
from hss_stream.lab.ngram_training import TrainingOptions, build_model, train_orders
from hss_stream.lab.text_generators import GENERATORS, TextGenerators, Tokens
from hss_stream.signals.fake_text import Calibration
from hss_stream.signals.ngram_score import sum_text
from hss_stream.signals.ngram_table import NgramModel

# Texts of a genre and length, and of a generator; and tokens of a genre that generators are built on.
NATURAL_TEXTS = 150
FAKE_TEXTS = 15
GENERATOR_TOKENS = 3_000_000
# One document in so many of the largest genre is set aside for calibration.
SET_ASIDE = 12


def cut_texts(
    documents: Sequence[Tokens], length: int, count: int, chance: np.random.Generator
) -> list[Tokens]:
    """Return natural texts of a length: out of one document where it is long enough, else of several."""
    texts: list[Tokens] = []
    long = [document for document in documents if document.size >= length]
    for index in chance.permutation(len(long))[:count]:
        begin = int(chance.integers(0, long[index].size - length + 1))
        texts.append(long[index][begin : begin + length])
    short = [document for document in documents if document.size < length]
    pieces: list[Tokens] = []
    for index in chance.permutation(len(short)):
        if len(texts) >= count:
            break
        pieces.append(short[index])
        if sum(piece.size for piece in pieces) >= length:
            texts.append(np.concatenate(pieces)[:length])
            pieces = []
    return texts


def some_documents(corpus: Corpus, tokens: int, chance: np.random.Generator) -> list[Tokens]:
    """Return documents drawn at random, up to a number of tokens."""
    order = chance.permutation(corpus.begins.size)
    sizes = (corpus.ends - corpus.begins)[order]
    taken = order[: int(np.searchsorted(np.cumsum(sizes), tokens)) + 1]
    wanted = np.zeros(order.size, bool)
    wanted[taken] = True
    return list(corpus.where(wanted).documents())


def sample_texts(
    model: NgramModel,
    genre: str,
    documents: Sequence[Tokens],
    chance: np.random.Generator,
    *,
    spam: Literal["calibration", "report"] | None,
    lengths: Sequence[int] = LENGTHS,
) -> Iterator[Sample]:
    """Return the sums of natural texts of a genre and, with words to stuff, of all generators on it."""
    generators = TextGenerators(documents, spam) if spam and documents else None
    for length in lengths:
        natural = cut_texts(documents, length, NATURAL_TEXTS, chance)
        for text in natural:
            yield Sample(genre, None, length, sum_text(model, text))
        if generators is None or not natural:
            continue
        for name in GENERATORS:
            for index in range(FAKE_TEXTS):
                text = generators.write(name, length, chance, natural[index % len(natural)])
                yield Sample(genre, name, length, sum_text(model, text))


@dataclass(frozen=True)
class LeftOut:
    """Samples scored by a model that never saw a genre: to calibrate on, and to report on."""

    genre: str
    calibration: list[Sample]
    report: list[Sample]


def leave_genres_out(
    corpus: Corpus,
    genres: Sequence[str],
    options: TrainingOptions,
    on_genre: Callable[[str], None],
    *,
    unlearned: Corpus | None = None,
    unlearned_genres: Sequence[str] = (),
    report_lengths: Sequence[int] = (),
) -> list[LeftOut]:
    """Return the samples of each genre by a model trained on the others.

    `unlearned` is natural text that no model learns: what else is met, tables and programs for instance.
    """
    chance = np.random.default_rng(1)
    runs: list[LeftOut] = []
    sizes = np.bincount(corpus.genres, corpus.ends - corpus.begins, len(genres))
    main = int(np.argmax(sizes))
    aside = (corpus.genres == main) & (corpus.draws % np.uint64(SET_ASIDE) == 0)
    usual = some_documents(corpus.where(aside), GENERATOR_TOKENS, chance)
    for number, genre in enumerate(genres):
        on_genre(genre)
        large = sizes[number] > corpus.size / 2
        left = aside if large else corpus.genres == number
        model = build_model(*train_orders(corpus.where(~(left | aside)), options))
        texts = {genres[main]: usual}
        if not large:
            texts[genre] = some_documents(corpus.where(left), GENERATOR_TOKENS, chance)
        run = LeftOut(genre, [], [])
        for name, documents in texts.items():
            run.calibration.extend(sample_texts(model, name, documents, chance, spam="calibration"))
            run.report.extend(
                sample_texts(model, name, documents, chance, spam="report", lengths=report_lengths)
            )
        if number == main and unlearned is not None:
            for other, name in enumerate(unlearned_genres):
                documents = some_documents(
                    unlearned.where(unlearned.genres == other), GENERATOR_TOKENS, chance
                )
                run.calibration.extend(sample_texts(model, name, documents, chance, spam=None))
        runs.append(run)
    return runs


def fit_without(runs: Sequence[LeftOut], genre: str | None) -> Calibration | None:
    """Return the calibration on all samples but those of a genre."""
    return fit_calibration(
        [sample for run in runs if run.genre != genre for sample in run.calibration if sample.genre != genre]
    )
