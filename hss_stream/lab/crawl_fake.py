"""Text that no person wrote: chains, patchworks and stuffed prose, built from a corpus of sentences.

The corpus is our own prose, or the sentences of a real corpus handed in. Makers are split into halves:
what tunes a threshold never writes the text it is reported on.

| half | makers |
| --- | --- |
| tune | chain of order 1; patchwork of 4 words; half of the words stuffed |
| report | chain of order 2 that jumps; patchwork of 5 to 7 words; a third of the words stuffed |
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from hss_stream.lab.crawl_lexicon import GOODS, SALES
from hss_stream.lab.crawl_prose import TOPICS, Half, prose_of

TextMaker = Callable[[random.Random, int], str]

# Enough that a chain of order 2 has choices, small enough to build in a few milliseconds.
CORPUS_SENTENCES = 1500


@lru_cache(maxsize=2)
def own_corpus(half: Half) -> tuple[str, ...]:
    """Return sentences of every topic of a half, in turn."""
    chance = random.Random(f"corpus/{half}")
    topics = len(TOPICS[half])
    return tuple(prose_of(half, number % topics).sentence(chance) for number in range(CORPUS_SENTENCES))


@dataclass(frozen=True, slots=True)
class Chain:
    """Followers of each history of `order` words; a jump starts again anywhere."""

    order: int
    words: tuple[str, ...]
    followers: dict[tuple[str, ...], tuple[str, ...]]
    jump: float

    def write(self, chance: random.Random, words: int) -> str:
        """Return that many words of the chain."""
        out: list[str] = []
        history: tuple[str, ...] = ()
        while len(out) < words:
            choices = self.followers.get(history, ())
            if not choices or chance.random() < self.jump:
                at = int(chance.random() * (len(self.words) - self.order))
                out.extend(self.words[at : at + self.order])
            else:
                out.append(choices[int(chance.random() * len(choices))])
            history = tuple(out[-self.order :])
        return " ".join(out[:words])


def train_chain(sentences: tuple[str, ...], order: int, jump: float) -> Chain:
    """Return the chain of the words of all sentences in order."""
    words = tuple(" ".join(sentences).split())
    followers: dict[tuple[str, ...], list[str]] = {}
    for at in range(len(words) - order):
        followers.setdefault(words[at : at + order], []).append(words[at + order])
    return Chain(order, words, {key: tuple(value) for key, value in followers.items()}, jump)


def patchwork(sentences: tuple[str, ...], least: int, most: int) -> TextMaker:
    """Return a maker of text out of runs of `least` to `most` words from random places."""
    words = " ".join(sentences).split()

    def write(chance: random.Random, count: int) -> str:
        out: list[str] = []
        while len(out) < count:
            at = int(chance.random() * (len(words) - most))
            out.extend(words[at : at + chance.randint(least, most)])
        return " ".join(out[:count])

    return write


def stuffed(sentences: tuple[str, ...], share: float) -> TextMaker:
    """Return a maker of prose in which a share of the words are words of sales."""
    keywords = tuple(word for phrase in (*GOODS, *SALES) for word in phrase.split())

    def write(chance: random.Random, count: int) -> str:
        out: list[str] = []
        while len(out) < count:
            for word in sentences[int(chance.random() * len(sentences))].split():
                stuffed_in = chance.random() < share
                out.append(keywords[int(chance.random() * len(keywords))] if stuffed_in else word)
        return " ".join(out[:count])

    return write


@lru_cache(maxsize=8)
def text_makers(half: Half, corpus: tuple[str, ...] | None = None) -> dict[str, TextMaker]:
    """Return the makers of a half by name, over our own prose or the sentences given."""
    sentences = corpus or own_corpus(half)
    if half == "tune":
        return {
            "markov": train_chain(sentences, 1, 0.0).write,
            "patchwork": patchwork(sentences, 4, 4),
            "stuffed": stuffed(sentences, 0.5),
        }
    return {
        "markov": train_chain(sentences, 2, 0.3).write,
        "patchwork": patchwork(sentences, 5, 7),
        "stuffed": stuffed(sentences, 0.33),
    }


def cut_paragraphs(text: str, chance: random.Random) -> tuple[str, ...]:
    """Return the text cut into paragraphs of 40 to 90 words."""
    words = text.split()
    out: list[str] = []
    at = 0
    while at < len(words):
        size = chance.randint(40, 90)
        out.append(" ".join(words[at : at + size]))
        at += size
    return tuple(out)
