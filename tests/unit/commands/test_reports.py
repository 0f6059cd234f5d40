"""The commands that report on pages: score, compare, similar, evaluate."""

import gzip
import json

import pytest
from click.testing import CliRunner

from hss_stream.cli import group
from hss_stream.lab.crawl import generate_crawl

PAGES = 260


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """Return a folder of generated pages, one a file, with labels.jsonl."""
    folder = tmp_path_factory.mktemp("crawl")
    rows = []
    for number, page in enumerate(
        generate_crawl(seed=5, pages=PAGES, kinds=("farm_fake", "theme", "natural"))
    ):
        name = f"{page.domain}/{number:04}.html"
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(page.body)
        rows.append({"file": name, "kind": page.kind, "group": page.group})
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder, rows


def run(*arguments, code=0, **options):
    """Run a command; return what it printed."""
    result = CliRunner().invoke(group, [str(argument) for argument in arguments], **options)

    assert code == result.exit_code, result.output
    return result.output


def run_json(*arguments, **options):
    """Run a command with --json; return the objects it printed."""
    return [json.loads(line) for line in run(*arguments, "--json", **options).splitlines()]


def test_score_has_its_shape(crawl):
    """A page's score has every field of the interfaces page, null ones with a reason."""
    folder, rows = crawl
    (score,) = run_json("score", folder / rows[0]["file"])

    assert {
        "file",
        "kind",
        "bytes",
        "style",
        "imatch",
        "structure",
        "faketext",
        "fingerprint",
        "error",
    } <= set(score)
    assert {"format", "noise_bytes", "grams", "slots_filled", "sketch"} <= set(score["style"])
    assert (512, 11) == (len(score["style"]["sketch"]), len(score["structure"]["tag_lengths"]))
    assert score["structure"]["tags"] == sum(score["structure"]["tag_lengths"])
    assert {name for name, block in score.items() if block is None} - {"error"} == set(score.get("why", {}))


def test_unreadable_files_do_not_stop_the_others(tmp_path):
    """A missing file is an object with `error`, the others are scored, the exit code is 1."""
    (tmp_path / "page.html.gz").write_bytes(gzip.compress(b"<html><p>hi</p></html>"))
    missing, page = run_json("score", tmp_path / "missing", tmp_path / "page.html.gz", code=1)

    assert "No such file" in missing["error"]
    assert (None, "page", 4) == (page["error"], page["kind"], page["structure"]["tags"])


def test_score_reads_standard_input():
    """`-` reads standard input; --as decides what it is."""
    (text,) = run_json("score", "-", "--as", "text", input="<p>hi")
    (page,) = run_json("score", "-", input="<p>hi")

    assert ("text", None, "page") == (text["kind"], text["style"], page["kind"])
    assert "style" in text["why"]


def test_mail_is_scored_by_its_parts():
    """A message's HTML part has style and structure, and no style of its own without one."""
    head = "Subject: hi\nMessage-ID: <1>\nMIME-Version: 1.0\n"
    (plain,) = run_json("score", "-", input=f"{head}\nhello\n")
    (html,) = run_json("score", "-", input=f"{head}Content-Type: text/html\n\n<p><b>hello</b></p>\n")

    assert ("mail", None, 4) == (plain["kind"], plain["style"], html["structure"]["tags"])


def test_score_explains_itself(crawl):
    """Without --json a person gets a table."""
    folder, rows = crawl

    assert "slots_filled" in run("score", folder / rows[0]["file"])


def test_terminal_codes_are_not_printed(tmp_path):
    """An escape sequence in a page cannot reach the terminal."""
    page = b"<html><body>\x1b[31m" + b'<a class="x-y" href="/\x1b]0;evil\x07">\x1b[0m</a>' * 20
    (tmp_path / "a.html").write_bytes(page)
    output = run("compare", tmp_path / "a.html", tmp_path / "a.html")

    assert "Longest shared passages" in output
    assert "\x1b]0" not in output
    assert "\x07" not in output


def test_comparison_has_its_shape(crawl):
    """A page is its own twin: all slots it fills match, and all distances are 0."""
    folder, rows = crawl
    page = folder / rows[0]["file"]
    (twin,) = run_json("compare", page, page)

    assert {"r": 0.0, "f": 0.0, "d": 0.0} == twin["structure"]
    assert twin["style"]["same"]
    assert twin["style"]["matching_slots"] / twin["style"]["slots"] == twin["style"]["similarity"]


def test_comparing_texts_has_no_style(tmp_path):
    """Two texts have no markup to compare, and the answer says so."""
    (tmp_path / "a.txt").write_text("hello")
    (comparison,) = run_json("compare", tmp_path / "a.txt", tmp_path / "a.txt")

    assert comparison["style"] is comparison["structure"] is None
    assert {"style", "structure"} <= set(comparison["why"])


def test_similar_pages_come_first(crawl, tmp_path):
    """Pages of the same farm lead the list, the list falls, and a gap ends the farm."""
    folder, rows = crawl
    farm = [row for row in rows if row["kind"] == "farm_fake"]
    ranked = run_json("similar", folder / farm[0]["file"], folder, "--plot", tmp_path / "curve.svg")
    found = [row["similarity"] for row in ranked]
    same = {f"file:///{row['file']}" for row in farm if row["group"] == farm[0]["group"]}

    assert PAGES == len(ranked)
    assert sorted(found, reverse=True) == found
    assert {row["url"] for row in ranked[: len(same)]} == same
    assert ranked[len(same) - 1]["gap"]
    assert (tmp_path / "curve.svg").stat().st_size > 1000
    assert "gap" in run("similar", folder / farm[0]["file"], folder, "--limit", PAGES)


def test_evaluation_holds_its_floor(crawl):
    """On a generated crawl, clusters by style are pure, and the default finds more than the paper."""
    folder, _ = crawl
    labels = ("--labels", folder / "labels.jsonl", "--precision-by", "group", "--recall-by", "group")
    (paper, *_), (default, miss, estimate) = (
        run_json("evaluate", "style", folder, *labels, "--setting", setting)
        for setting in ("paper", "default")
    )

    assert pytest.approx(8.9e-4, rel=0.01) == miss["p_miss_at_threshold"]
    assert {"rmse", "expected_rmse"} <= set(estimate)
    assert default["precision"] >= 0.99
    assert default["f"] >= max(paper["f"], 0.6)
    assert {"event", "method", "setting", "case", "precision", "recall", "f", "auc"} <= set(default)


def test_structure_evaluation_keeps_the_order(crawl):
    """R ≤ F ≤ D on every pair drawn, and each tells groups apart better than the one before."""
    folder, _ = crawl
    labels = ("--labels", folder / "labels.jsonl", "--recall-by", "group")
    rows = run_json("evaluate", "structure", folder, *labels, "--pairs", 2000)
    r, f, d = rows[:3]

    assert 0 == r["order_broken"] == d["order_broken"]
    assert 0.5 < r["auc"] <= f["auc"] + 0.02 <= d["auc"] + 0.04
    assert pytest.approx(1) == sum(rows[3][f"share_{name}"] for name in "rfd")
    assert "cascade" in run("evaluate", "structure", folder, "--pairs", 50)


@pytest.mark.parametrize(
    "arguments",
    [("score",), ("evaluate", "style"), ("evaluate", "nothing"), ("score", "--as", "picture", "x")],
)
def test_wrong_use_exits_with_two(arguments):
    """A missing or unknown argument is wrong use."""
    run(*arguments, code=2)


def test_labels_need_a_field(crawl):
    """Labels without a field to go by, or the other way round, are wrong use."""
    folder, _ = crawl
    run("evaluate", "style", folder, "--labels", folder / "labels.jsonl", code=2)
    run("evaluate", "style", folder, "--precision-by", "group", code=2)


@pytest.mark.parametrize("line", ["no json", '{"file": "x"}', "[1]"])
def test_unusable_labels_are_an_error(crawl, tmp_path, line):
    """A label file that lacks the field is refused with its line number."""
    folder, _ = crawl
    (tmp_path / "labels.jsonl").write_text(line)
    result = CliRunner().invoke(
        group,
        [
            "evaluate",
            "style",
            str(folder),
            "--labels",
            str(tmp_path / "labels.jsonl"),
            "--recall-by",
            "group",
        ],
    )

    assert "line 1" in str(result.exception)


@pytest.mark.parametrize(("body", "why"), [(b"", "empty"), (b"WARC/1.0\r\n\r\n", "archive")])
def test_score_says_what_it_was_given(tmp_path, body, why):
    """An empty file and an archive are named as such, instead of advice that would not help."""
    path = tmp_path / "given"
    path.write_bytes(body)

    assert why in run("score", path, code=1)
