"""The evaluation of I-Match counts what its definition says, and its command prints the paper's table."""

import json
import math
import random

import numpy as np
import pytest
from click.testing import CliRunner

from hss_stream.cli import group
from hss_stream.lab.imatch_documents import Document, read_documents, sign_documents, without_duplicates
from hss_stream.lab.imatch_evaluation import count_false
from hss_stream.lab.imatch_stability import equation_1
from hss_stream.lab.near_duplicates import find_near_duplicates
from hss_stream.models.lexicon_file import load_lexicon
from hss_stream.sources.record import SourceRecord

# Words of the shipped lexicon's primary range.
PRIMARY = [
    "able",
    "above",
    "across",
    "addition",
    "again",
    "almost",
    "approximately",
    "april",
    "area",
    "areas",
    "august",
    "available",
    "beginning",
    "best",
    "body",
    "book",
    "british",
    "built",
    "came",
    "career",
    "case",
    "certain",
    "change",
    "children",
    "close",
    "common",
    "community",
    "company",
    "considered",
    "continued",
    "control",
    "country",
    "county",
    "created",
    "current",
    "currently",
    "days",
    "death",
    "december",
    "described",
    "despite",
    "developed",
    "development",
    "district",
    "does",
    "down",
    "either",
    "english",
    "especially",
    "established",
    "europe",
    "european",
    "eventually",
    "every",
    "fact",
    "family",
    "february",
    "final",
    "five",
    "followed",
    "formed",
    "former",
    "founded",
    "free",
    "french",
    "full",
    "further",
    "generally",
    "good",
    "government",
    "great",
    "half",
    "held",
    "home",
    "house",
    "human",
    "important",
    "included",
]
SYLLABLES = ["ba", "ko", "ri", "tu", "ne", "sa", "mi", "lo", "pe", "vu", "dor", "gan"]


def make_texts(templates=12, copies=6, words=60, seed=1):
    """Return campaigns: texts of invented words, each copy with a few of them changed."""
    source = random.Random(seed)

    def word():
        return "".join(source.choice(SYLLABLES) for _ in range(3))

    texts = []
    for _ in range(templates):
        template = [word() for _ in range(words)]
        for _ in range(copies):
            copy = list(template)
            for _ in range(source.randint(0, 4)):
                copy[source.randrange(words)] = word()
            source.shuffle(copy)
            texts.append(" ".join(copy))
    return texts


def documents_of(texts):
    """Return texts as documents."""
    return read_documents(SourceRecord(url="", body=text.encode(), kind="text") for text in texts)


def test_counts_equal_definition():
    """Recall and matched pairs are those of a plain double loop over sets."""
    documents = documents_of(make_texts(templates=4, copies=5))
    signatures = sign_documents(documents, load_lexicon())
    found = find_near_duplicates([one.words for one in documents], signatures)
    sets = [set(one.words.tolist()) for one in documents]
    rows = []
    for one, first in enumerate(sets):
        near = [
            two for two, second in enumerate(sets)
            if two != one and len(first & second) >= 0.9 * math.sqrt(len(first) * len(second))
        ]  # fmt: skip
        hit = [
            two
            for two in near
            if any(a == b != 0 for a, b in zip(signatures[one], signatures[two], strict=True))
        ]
        rows += [len(hit) / len(near)] if near else []

    assert len(rows) == found.queries
    assert float(np.mean(rows)) == pytest.approx(found.recall[10])
    assert list(found.recall) == sorted(found.recall)
    assert (found.matched_near <= found.matched_pairs).all()


def test_exact_duplicates_are_removed():
    """Of documents with the same set of words the first stays."""
    documents = documents_of(
        ["alpha bravo charlie delta echo foxtrot", "golf hotel india juliett kilo", "too few"]
    )
    repeated = [*documents, Document(documents[0].tokens[::-1].copy(), documents[0].words)]

    assert documents == without_duplicates(repeated)


def test_false_matches_are_counted():
    """A ham message that is a copy of spam counts once, from the first copies of the lexicon on."""
    documents = documents_of(make_texts(templates=3, copies=1))
    false = count_false(documents[:2], documents[1:], load_lexicon())

    assert [1] * 11 == false.tolist()


def test_no_documents_give_no_recall():
    """Nothing to compare is an answer, not an error."""
    found = find_near_duplicates([], np.zeros((0, 11), np.uint64))

    assert (0, 0) == (found.queries, found.near_pairs)


@pytest.mark.parametrize(("changes", "expected"), [(1, 0.983), (2, 0.692), (5, 0.040)])
def test_equation_1_of_paper(changes, expected):
    """The published figures for a third dropped."""
    assert expected == pytest.approx(equation_1(1 / 3, changes), abs=0.001)


def test_command_prints_table(tmp_path):
    """`evaluate imatch` prints table 1 with false matches, holds floors on campaigns, and draws a plot."""
    for folder, seed in (("spam", 1), ("ham", 2)):
        (tmp_path / folder).mkdir()
        for number, text in enumerate(make_texts(seed=seed)):
            (tmp_path / folder / f"{number:03}.eml").write_text(f"From: a\nSubject: b\nDate: c\n\n{text}\n")
    spam, ham, plot = (str(tmp_path / name) for name in ("spam", "ham", "plot.svg"))
    done = CliRunner().invoke(
        group, ["evaluate", "imatch", spam, "--ham", ham, "--json", "--plot", plot], catch_exceptions=False
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    table = {row["case"]: row for row in rows}

    assert ["single", "+2", "+5", "+10"] == [row["case"] for row in rows[:4]]
    assert table["single"]["recall"] < table["+10"]["recall"]
    assert table["+10"]["recall"] >= 0.9
    assert {0} == {row["false_matches"] for row in rows[:4]}
    assert (tmp_path / "plot.svg").stat().st_size > 1000


def test_stability_follows_equation_1(tmp_path):
    """Inserted lexicon words break signatures as often as equation 1 says; shares of words less often."""
    source = random.Random(4)
    common = source.sample(PRIMARY, 60)
    for number in range(150):
        (tmp_path / f"{number:03}.txt").write_text(" ".join(source.sample(common, 40)))
    done = CliRunner().invoke(group, ["evaluate", "imatch", str(tmp_path), "--json"], catch_exceptions=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    inserted = [row for row in rows if row.get("equation_1") is not None]

    assert 3 == len(inserted)
    for row in inserted:
        assert abs(row["stability"] - row["equation_1"]) <= 0.1
