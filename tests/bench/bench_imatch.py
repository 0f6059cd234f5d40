"""I-Match: text to eleven signatures, against a plain Python version, in one and in two threads.

The plain version is what one would write: a regular expression for the words, a dictionary for the lexicon, a
set and a sorted list, one hash a coordinate. The signatures differ (the hash does), the work is the same.
"""

import hashlib
import random
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from hss_stream.models.lexicon_file import load_lexicon
from hss_stream.signals.imatch import COORDINATES, Signer
from hss_stream.signals.lexicon import Lexicon
from hss_stream.signals.words import WordHasher, word_hash
from hss_stream.sources.records import open_source
from hss_stream.steps.score_page import read_body
from tests.bench.measure import best_seconds, evaluation_corpus, rate_row

DOCUMENTS = 400
WORD = re.compile(r"[^\W_]+")


class PlainSigner:
    """I-Match with the means of the language alone."""

    def __init__(self, lexicon: Lexicon, texts: list[bytes]) -> None:
        words, levels = lexicon.words_and_levels()
        masks = dict(zip(lexicon.table[0::2].tolist(), (lexicon.table[1::2] >> 16).tolist(), strict=True))
        known = dict(zip(words.tolist(), levels.tolist(), strict=True))
        self.low, self.high = lexicon.setting.levels
        self.setting = lexicon.setting
        # Spelled words, as a plain version would have them: level and mask of each word of the corpus.
        spelled = {word for text in texts for word in WORD.findall(text.decode("utf-8", "replace").lower())}
        hashes = {word: word_hash(word) | 1 for word in spelled}
        self.terms = {
            word: (known.get(value, 65_535), masks.get(value, 0x155) << 1 | 1)
            for word, value in hashes.items()
        }

    def sign(self, text: bytes) -> list[str | None]:
        """Return the signatures of a text."""
        words = {
            word for word in WORD.findall(text.decode("utf-8", "replace").lower())
            if len(word) >= 4 and sum(letter.isdigit() for letter in word) <= 1
        }  # fmt: skip
        ranked = sorted((*self.terms[word], word) for word in words if self.terms[word][0] >= self.low)
        signatures: list[str | None] = []
        for coordinate in range(COORDINATES):
            chosen = []
            weight = 0
            for level, mask, word in ranked:
                if level > self.high and (len(chosen) >= self.setting.min_terms):
                    break
                if mask >> coordinate & 1:
                    chosen.append(word)
                    weight += level
            enough = len(chosen) >= self.setting.min_terms or weight >= self.setting.few_weight * 65_535
            digest = hashlib.blake2b(" ".join(sorted(chosen)).encode(), digest_size=8).hexdigest()
            signatures.append(digest if enough else None)
        return signatures


def generated_texts() -> list[bytes]:
    """Return texts of invented words with the lengths of mail."""
    source = random.Random(6)
    words = [
        "".join(source.choice("aeioubcdfghlmnprst") for _ in range(source.randint(2, 10)))
        for _ in range(5000)
    ]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    return [
        " ".join(source.choices(words, weights, k=source.randint(50, 1500))).encode()
        for _ in range(DOCUMENTS)
    ]


def corpora() -> Iterator[tuple[str, list[bytes]]]:
    """Yield the texts to sign: mail and pages where there are real ones, else invented ones."""
    found = False
    for name in ("email-phishing-pot", "pages-web"):
        folder = evaluation_corpus(name)
        if folder is not None:
            found = True
            records = [record for record, _ in zip(open_source(folder), range(DOCUMENTS), strict=False)]
            yield name, [read_body(record.body, record.kind, record.content_type).text for record in records]
    if not found:
        yield "generated", generated_texts()


def rows(*, slow: bool) -> Iterator[dict[str, object]]:
    """Yield megabytes of text a second, for one and two threads."""
    del slow
    lexicon = load_lexicon()
    for name, texts in corpora():
        plain = PlainSigner(lexicon, texts)
        tools = [(WordHasher(), Signer(lexicon)) for _ in range(2)]
        halves = [texts[0::2], texts[1::2]]

        def ours(part: int, some: list[bytes], tools: list[tuple[WordHasher, Signer]] = tools) -> None:
            hasher, signer = tools[part]
            for text in some:
                signer.sign(hasher.hash(text))

        with ThreadPoolExecutor(2) as pool:

            def two_threads(
                pool: ThreadPoolExecutor = pool, halves: list[list[bytes]] = halves, ours: object = ours
            ) -> None:
                list(pool.map(ours, range(2), halves))  # type: ignore[arg-type] # the function above

            best = best_seconds(
                {
                    "one": lambda texts=texts, ours=ours: ours(0, texts),
                    "two": two_threads,
                    "python": lambda texts=texts, plain=plain: [plain.sign(text) for text in texts],
                }
            )
        megabytes = sum(len(text) for text in texts) / 1e6
        for threads, key in ((1, "one"), (2, "two")):
            yield rate_row(
                "megabytes_per_second", megabytes / best[key], "python", megabytes / best["python"],
                corpus=name, threads=threads, documents=len(texts),
            )  # fmt: skip
