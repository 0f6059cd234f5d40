"""`train model` makes a model out of files, the same one each time."""

import pytest
from click.testing import CliRunner

from hss_stream.commands.train_model import command
from hss_stream.models.ngram_file import read_model
from hss_stream.signals.ngram_score import Sum, sum_text
from hss_stream.signals.words import WordHasher


@pytest.fixture
def corpus(tmp_path):
    """Return a folder of a few short texts."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.txt").write_text(
            f"The cat number {number} sat on the mat. Then the cat sat on the dog." * 3
        )
    return folder


def test_same_corpus_same_model(corpus, tmp_path):
    """Training twice gives the same bytes, and the model knows the text it saw."""
    for name in ("one", "two"):
        result = CliRunner().invoke(command, [str(corpus), "--out", str(tmp_path / name), "--name", "cats"])
        assert 0 == result.exit_code, result.output
    one, two = (tmp_path / name / "model.ngrams" for name in ("one", "two"))
    model = read_model(one)
    sums = sum_text(model.model.ngrams, WordHasher().hash(b"the cat sat on the mat."))

    assert one.read_bytes() == two.read_bytes()
    assert model.model.ngrams.identity.startswith("cats-")
    assert 7 == sums[Sum.WORDS_KNOWN]
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["model.ngrams"]


def test_arpa_holds_the_words(corpus, tmp_path):
    """The ARPA file spells every kept n-gram and announces their right number."""
    arpa = tmp_path / "model.arpa"
    result = CliRunner().invoke(command, [str(corpus), "--out", str(tmp_path / "out"), "--arpa", str(arpa)])
    assert 0 == result.exit_code, result.output
    text = arpa.read_text()
    four = text.split("\\4-grams:\n")[1].split("\n\n")[0].splitlines()

    assert f"ngram 4={len(four)}\n" in text
    assert any(line.split("\t")[1] == "cat sat on the" for line in four)
    assert text.endswith("\\end\\\n")
