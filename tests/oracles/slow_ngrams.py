"""A language model of dictionaries: Katz back-off and PKL penalties written from their definitions."""

import math
from collections import Counter, defaultdict

import numpy as np

from hss_stream.signals.words import word_hash

DISCOUNTED = 5


def tokens_of(words):
    """Return words as the tokens that the fast model sees."""
    return np.array([word_hash(word) for word in words], np.uint64)


def slow_discount(counts, count):
    """Return the Good-Turing discount of a count; half a count where Good-Turing makes no sense."""
    if count > DISCOUNTED:
        return 1.0
    many = Counter(counts.values())
    common = (DISCOUNTED + 1) * many[DISCOUNTED + 1] / many[1] if many[1] else 1.0
    if many[count] and common < 1:
        estimate = ((count + 1) * many[count + 1] / (count * many[count]) - common) / (1 - common)
        if 0 < estimate < 1:
            return estimate
    return (count - 0.5) / count


class SlowModel:
    """All n-grams of up to four words that enough documents have."""

    def __init__(self, documents, min_documents=2, min_count=2, reading="katz", min_history=5):
        self.reading, self.min_history = reading, min_history
        self.total = sum(len(words) for words in documents)
        self.counts = []
        self.kept = []
        for order in range(1, 5):
            counts, seen_in = Counter(), defaultdict(set)
            for number, words in enumerate(documents):
                for end in range(order, len(words) + 1):
                    ngram = tuple(words[end - order : end])
                    counts[ngram] += 1
                    seen_in[ngram].add(number)
            self.counts.append(counts)
            self.kept.append(
                {
                    ngram
                    for ngram, count in counts.items()
                    if count >= min_count and len(seen_in[ngram]) >= min_documents
                }
            )
        self.words = {ngram[0] for ngram in self.kept[0]}
        self.after = defaultdict(list)
        for kept in self.kept:
            for ngram in kept:
                self.after[ngram[:-1]].append(ngram[-1])
        self.cache = {}

    def whole(self, history):
        """Return how often a history was seen; the empty one as often as there are tokens."""
        return self.counts[len(history) - 1][history] if history else self.total

    def discounted(self, history):
        """Return the probability of every kept word after a history."""
        if history not in self.cache:
            counts = self.counts[len(history)]
            whole = self.whole(history)
            chances = {
                word: slow_discount(counts, counts[(*history, word)]) * counts[(*history, word)] / whole
                for word in self.after[history]
            }
            if sum(chances.values()) > 1 - 1e-6:
                chances = {word: chance * whole / (whole + 1) for word, chance in chances.items()}
            self.cache[history] = chances
        return self.cache[history]

    def chance(self, history, word):
        """Return p(word | history); all unknown words together are the word None."""
        chances = self.discounted(history)
        if word in chances:
            return chances[word]
        if not history:
            return 1 - sum(chances.values())
        if not chances:
            return self.chance(history[1:], word)
        left = 1 - sum(chances.values())
        left_below = 1 - sum(self.chance(history[1:], other) for other in chances)
        return left / left_below * self.chance(history[1:], word)

    def divergence(self, history, word):
        """Return PKL(history, word) of a kept n-gram."""
        if self.reading == "katz":
            here, below = self.chance(history, word), self.chance(history[1:], word)
        else:
            here = self.whole((*history, word)) / self.whole(history)
            below = self.whole((*history[1:], word)) / self.whole(history[1:])
        return here * math.log2(here / below)

    def is_known(self, history):
        """Tell whether a history counts: kept words follow it, and it was seen often enough."""
        return bool(self.after[history]) and self.whole(history) >= self.min_history

    def penalty(self, history, word):
        """Return S(history, word): the greatest PKL after the history, less that of the word."""
        greatest = max(self.divergence(history, other) for other in self.after[history])
        return greatest - (self.divergence(history, word) if word in self.after[history] else 0.0)
