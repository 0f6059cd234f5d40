"""Training, calibration and evaluation of fake text, end to end on small generated genres."""

import itertools
import random

import numpy as np
import orjson
import pytest
from click.testing import CliRunner

from hss_stream.commands.evaluate_faketext import command as evaluate
from hss_stream.commands.train_model import command as train
from hss_stream.lab import calibration, fake_text_evaluation, fake_text_training
from hss_stream.lab.fake_text_evaluation import area_under_curve, f_measure, wilson_interval
from hss_stream.models.ngram_file import read_model
from hss_stream.signals.fake_text import FOOT

FRAMES = {
    "news": "the {0} of the {1} said that {2} would {3} the {4} in {0} .",
    "tales": "then {0} went to the {1} , and {2} took a {3} from the old {4} by the {1} .",
    "manuals": "to {0} the {1} , set its {2} and give the {3} option a {4} ; see also {1} .",
}
STEMS = ("ka", "lo", "mi", "ru", "te", "so", "va", "ne")
WORDS = ["".join(parts) for parts in itertools.product(STEMS, repeat=4)]


def write_genre(folder, frame, chance, documents=90):
    """Write natural documents: each has a subject, a few words that come again in the same company."""
    folder.mkdir()
    for number in range(documents):
        subject = chance.sample(WORDS, 14)
        partners = {word: chance.sample(WORDS, 3) for word in subject}
        sentences = []
        for _ in range(40):
            first = chance.choice(subject)
            pair = chance.choice(partners[first])
            # Now and then a sentence of another genre, so that the genres share a language.
            made = frame if chance.random() < 0.8 else chance.choice(list(FRAMES.values()))
            sentences.append(made.format(first, pair, chance.choice(subject), chance.choice(WORDS), first))
        (folder / f"{number}.txt").write_text(" ".join(sentences))


@pytest.fixture(scope="module")
def genres(tmp_path_factory):
    """Return the folders of three genres."""
    chance = random.Random(3)
    top = tmp_path_factory.mktemp("genres")
    for name, frame in FRAMES.items():
        write_genre(top / name, frame, chance)
    return [str(top / name) for name in FRAMES]


@pytest.fixture
def _small(monkeypatch):
    """Make samples small: what is tested is that the parts fit together."""
    monkeypatch.setattr(fake_text_training, "NATURAL_TEXTS", 12)
    monkeypatch.setattr(fake_text_training, "FAKE_TEXTS", 3)
    monkeypatch.setattr(fake_text_evaluation, "TEXTS", 12)
    monkeypatch.setattr(fake_text_evaluation, "LENGTHS", (500,))


def run(command, *arguments):
    """Run a command and return its JSON lines."""
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])

    assert 0 == result.exit_code, result.output
    return [orjson.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]


@pytest.mark.usefixtures("_small")
def test_trained_model_tells_generators(genres, tmp_path):
    """A model trained and calibrated by the commands calls chains and patchworks fake, natural text not."""
    run(train, *genres, "--out", tmp_path, "--held-out", 5)
    rows = run(
        evaluate, *genres, "--json", "--held-out", 5, "--model", tmp_path / "model.ngrams", "--texts", 15
    )
    natural = [row for row in rows if row["case"] == "natural"]
    recall = {(row["case"], row["words"]): row["recall"] for row in rows if row["case"] != "natural"}

    assert {None, 500, 2000} == {row["words"] for row in natural}
    assert 0.0 == max(row["false_alarms"] for row in natural)
    assert min(recall[name, 2000] for name in ("lm2", "lm3s", "pw5")) > 0.9
    assert 5 == read_model(tmp_path / "model.ngrams").facts["held_out"]


@pytest.mark.usefixtures("_small")
def test_paper_tables_stand_beside_the_paper(genres, tmp_path):
    """Tables 2, 3 and 4 have a row a generator and order, the paper's figures beside them, and a plot."""
    rows = run(evaluate, *genres, "--json", "--setting", "paper", "--plot", tmp_path / "tables.svg")
    cases = {(row["table"], row["case"], row["measure"]) for row in rows}
    lm2 = next(row for row in rows if (row["table"], row["case"], row["measure"]) == (3, "lm2", "penalty_3"))

    assert {2, 3, 4} == {table for table, _, _ in cases}
    assert (2, "ws25", "perplexity_4") in cases
    assert {"paper_newsp", "paper_euro", "paper_wiki", "f", "auc"} <= set(lm2)
    assert (tmp_path / "tables.svg").stat().st_size > 1000


@pytest.mark.usefixtures("_small")
def test_left_out_genres_are_reported_both_ways(genres):
    """Each genre but the largest is left out; fakes are made of the largest genre and of the one left out."""
    rows = run(evaluate, *genres, "--json", "--leave-out", "--texts", 10)
    fakes = [row for row in rows if row["case"] == "lm2" and row["words"] == 500]

    assert {("main", "all"), ("own", "all")} < {(row["source"], row["genre"]) for row in fakes}
    assert len(FRAMES) == len({row["genre"] for row in fakes})
    assert all(0.0 <= row["auc"] <= 1.0 for row in fakes)


def test_area_counts_ties_half():
    """Equal scores are a coin toss; a fake text above all natural ones is certain."""
    low, high = np.array([1.0, 2.0]), np.array([3.0, 4.0])

    assert 1.0 == area_under_curve(low, high)
    assert 0.0 == area_under_curve(high, low)
    assert 0.5 == area_under_curve(low, low)


def test_threshold_is_tuned_on_other_texts():
    """The threshold comes from every third text and is measured on the rest."""
    natural, fake = np.arange(9.0), np.arange(9.0) + 100

    assert (1.0, 1.0, 1.0) == pytest.approx(f_measure(natural, fake))


def test_interval_holds_the_share():
    """The interval lies around the share, is wide for few texts, and is all for none."""
    low, high = wilson_interval(0, 100)

    assert (0.0, 1.0) == wilson_interval(0, 0)
    assert low == pytest.approx(0.0)
    assert 0.03 < high < 0.04


def test_figure_that_points_the_wrong_way_is_left_out():
    """A figure that would speak against fakeness where it rises gets no weight."""
    chance = np.random.default_rng(1)
    truth = np.repeat([0.0, 1.0], 200)
    rows = np.column_stack((truth + chance.normal(0, 0.3, 400), -truth + chance.normal(0, 0.3, 400)))
    weights = calibration._fit_rising(rows, truth, np.full(400, 1 / 400))

    assert weights[0] > 0
    assert 0.0 == weights[1]


def test_threshold_leaves_room_for_odd_genres():
    """Natural texts of every genre lie below the foot of the slope, the typical fake text well above it."""
    chance = np.random.default_rng(2)
    head = calibration.HEADS["stuffing"]

    def sample(genre, generator, strays):
        sums = np.zeros(fake_text_evaluation.Sum.SYMBOLS + 1)
        sums[fake_text_evaluation.Sum.TOKENS] = 2000
        sums[fake_text_evaluation.Sum.STRAY_REPEATS] = strays
        return calibration.Sample(genre, generator, 2000, sums)

    natural = [sample(f"g{n % 3}", None, chance.normal(30 + 10 * (n % 3), 5)) for n in range(300)]
    fake = [sample("g0", "ws25", chance.normal(280, 20)) for _ in range(100)]
    weights, _ = calibration.fit_head(head, natural, fake)

    def alarm(strays):
        rates = calibration.text_features(sample("x", None, strays).sums)
        return float(rates @ weights[:-1] + weights[-1])

    assert alarm(40) < FOOT < alarm(120)
    assert alarm(280) == pytest.approx(4.0, abs=0.5)
