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
ADDRESS = re.compile(r"\S*(?:://|@)\S*")


class PlainSigner:
    """I-Match with the means of the language alone."""

    def __init__(self, lexicon: Lexicon, texts: list[bytes]) -> None:
        used = lexicon.table[0::2] != 0
        entries = dict(
            zip(lexicon.table[0::2][used].tolist(), lexicon.table[1::2][used].tolist(), strict=True)
        )
        self.low, self.high = lexicon.setting.levels
        self.setting = lexicon.setting
        # The lexicon with its words spelled out, as a plain version would have it.
        spelled = {word for text in texts for word in WORD.findall(text.decode("utf-8", "replace").lower())}
        found = {word: entries[word_hash(word) | 1] for word in spelled if word_hash(word) | 1 in entries}
        self.lexicon = {word: (entry & 0xFFFF, entry >> 16 << 1 | 1) for word, entry in found.items()}

    def unknown(self, word: str) -> tuple[int, int]:
        """Return level and copies of a word that the lexicon does not have."""
        chances = hashlib.blake2b(word.encode(), digest_size=20).digest()
        limit = self.setting.keep * 65_536
        mask = 1
        for copy in range(1, COORDINATES):
            mask |= ((chances[2 * copy - 2] << 8 | chances[2 * copy - 1]) < limit) << copy
        return 65_535, mask

    def is_enough(self, chosen: list[str], weight: int) -> bool:
        """Tell whether these terms are many, or a few rare ones."""
        is_rare = weight >= self.setting.few_weight * 65_535
        return len(chosen) >= self.setting.min_terms or (len(chosen) >= self.setting.few_terms and is_rare)

    def sign(self, text: bytes) -> list[str | None]:
        """Return the signatures of a text."""
        plain = ADDRESS.sub(" ", text.decode("utf-8", "replace").lower())
        words = {
            word for word in WORD.findall(plain)
            if len(word) >= 4 and sum(letter.isdigit() for letter in word) <= 1
        }  # fmt: skip
        terms = ((*(self.lexicon.get(word) or self.unknown(word)), word) for word in words)
        ranked = sorted(term for term in terms if term[0] >= self.low)
        signatures: list[str | None] = []
        for coordinate in range(COORDINATES):
            chosen: list[str] = []
            weight = 0
            for level, mask, word in ranked:
                if level > self.high and self.is_enough(chosen, weight):
                    break
                if mask >> coordinate & 1:
                    chosen.append(word)
                    weight += level
            digest = hashlib.blake2b(" ".join(sorted(chosen)).encode(), digest_size=8).hexdigest()
            signatures.append(digest if self.is_enough(chosen, weight) else None)
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
