"""What the shipped model does to real text that it has neither learnt nor been calibrated on."""

import numpy as np
import pytest
from rich.progress import Progress

from hss_stream.commands.train_model import genre_name, read_corpus
from hss_stream.lab.english_genres import lay_out
from hss_stream.lab.fake_text_evaluation import default_rows
from hss_stream.lab.ngram_counting import TokenSpool
from hss_stream.models.shipped_model import load_model

SOURCES = ("wiki", "fiction", "essays", "reuters", "abc", "mail", "docs.jsonl", "web.jsonl")
# Floors at 2,000 tokens.
RECALL = {"ws25": 0.9, "ws50": 0.9, "salad": 0.9, "lm2": 0.75, "pw5": 0.6, "lm3s": 0.6}


@pytest.fixture(scope="module")
def rows(evaluation_data, tmp_path_factory):
    """Return the verdicts on documents and sites held out from the shipped model."""
    top = tmp_path_factory.mktemp("genres") / "genres"
    lay_out(evaluation_data, top)
    sources = [str(top / name) for name in SOURCES]
    model = load_model()
    with TokenSpool(top / "tokens") as spool:
        corpus = read_corpus(sources, None, spool, None, Progress(disable=True))
        held_out = corpus.where(corpus.draws % np.uint64(model.facts["held_out"]) == 0)
        names = [genre_name(source) for source in sources]
        return list(default_rows(model.model, held_out, names, 100, 1))


def test_natural_text_is_not_called_fake(rows):
    """Of no genre are more than 2 % of the texts called fake, cut to a length or whole."""
    natural = [row for row in rows if row["case"] == "natural"]

    assert {500, 2000, None} == {row["words"] for row in natural}
    assert [] == [row for row in natural if row["low"] > 0.02]
    for words in (500, 2000, None):
        many = [row for row in natural if row["words"] == words]
        alarms = sum(row["false_alarms"] * row["texts"] for row in many)

        assert alarms <= 0.01 * sum(row["texts"] for row in many)


def test_generated_text_is_called_fake(rows):
    """Recall at the shipped threshold holds its floors at 2,000 tokens."""
    recall = {row["case"]: row["recall"] for row in rows if row["words"] == 2000 and "recall" in row}

    assert {} == {name: recall[name] for name, floor in RECALL.items() if recall[name] < floor}
