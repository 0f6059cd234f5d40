"""Providers judged over a generated crawl whose truth is known."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from hss_stream.cli import group
from hss_stream.lab.crawl import generate_crawl
from hss_stream.lab.known_providers import known_providers
from hss_stream.lab.nameserver_evaluation import (
    Confusion,
    evaluate_providers,
    judge_online,
    measure_agreement,
    table_rows,
)
from hss_stream.signals.home_page import is_home_page
from hss_stream.sources.record import SourceRecord

KINDS = ("parked", "doorway", "natural")


def provider_of(url):
    """Return what follows the first label of a host: the generated name servers are ns1. + provider."""
    return url.removeprefix("http:").strip("/").split("/")[0].split(".", 1)[1]


@pytest.fixture(scope="module")
def providers():
    """Return the providers of a generated crawl of parked domains and honest sites."""
    pages = generate_crawl(seed=11, pages=1500, kinds=KINDS)
    return known_providers(
        (
            SourceRecord(
                page.url, page.body, "page", status=page.status, nameservers=page.nameservers,
                truth=page.truth, domain=page.domain,
            )
            for page in pages
        ),
        provider_of,
    )  # fmt: skip


def test_generated_providers_are_told_apart(providers):
    """Providers of parked domains are listed, honest ones are not."""
    tally = evaluate_providers(providers, "default")
    rows = {row["case"]: row for row in table_rows(tally)}

    assert tally.providers.right_spam >= 1
    assert 0 == tally.providers.wrong_spam == tally.providers.missed_spam
    assert rows["table 4: sites"]["f"] >= 0.95
    assert pytest.approx(100) == sum(
        value for name, value in rows["table 3: sites, confusion"].items() if name.endswith("_percent")
    )


def test_stream_agrees_with_batch(providers):
    """Whatever the order of arrival, the stream ends with the batch's answer."""
    large = [provider for provider in providers if len(provider.sites) >= 48]
    row = measure_agreement(large, shuffles=2, seed=1)

    assert large
    assert 1.0 == row["agreement"]
    order = np.arange(len(large[0].sites)).tolist()
    assert judge_online(large[0], order) == judge_online(large[0], order[::-1])


def test_command_prints_the_tables(tmp_path):
    """`evaluate nameserver` reads labelled JSONL and prints tables 1 to 4; without labels it says so."""
    lines = [json.dumps(page.to_json()) for page in generate_crawl(seed=11, pages=600, kinds=KINDS)]
    (tmp_path / "crawl.jsonl").write_text("\n".join(lines))
    done = CliRunner().invoke(group, ["evaluate", "nameserver", str(tmp_path / "crawl.jsonl"), "--json"])
    cases = [json.loads(line)["case"] for line in done.output.splitlines()]

    assert 0 == done.exit_code
    assert ["table 1", "table 1", "table 1", "table 2", "table 3", "table 4"] == [case[:7] for case in cases]
    (tmp_path / "none.jsonl").write_text('{"url": "http://a.example/", "html": "<p>"}')
    assert 1 == CliRunner().invoke(group, ["evaluate", "nameserver", str(tmp_path / "none.jsonl")]).exit_code
    assert 2 == CliRunner().invoke(group, ["evaluate", "nameserver", "--simulate", str(tmp_path)]).exit_code


def test_pages_that_prove_nothing_are_left_out():
    """Errors, inner pages, pages without truth or name servers are no evidence; a site counts once."""
    page = {"body": b"<p>", "kind": "page", "nameservers": ("ns1.a.example",), "truth": "spam"}
    records = [
        SourceRecord("http://x.example/", **page),
        SourceRecord("http://x.example/index.html", **page),
        SourceRecord("http://y.example/inner", **page),
        SourceRecord("http://z.example/", status=404, **page),
        SourceRecord("http://v.example/", **{**page, "truth": None}),
        SourceRecord("http://w.example/", **{**page, "nameservers": ()}),
    ]
    (provider,) = known_providers(records, provider_of)

    assert ("a.example", 1, True) == (provider.name, len(provider.sites), provider.is_spam)


def test_confusion_scores():
    """F is of the spam class; the paper's is weighted over both classes."""
    confusion = Confusion(right_spam=8, wrong_spam=2, missed_spam=2, right_clean=88)
    row = confusion.to_row()

    assert pytest.approx((0.8, 0.96)) == (row["f"], row["accuracy"])
    assert row["f_both_classes"] > 0.95
    assert Confusion().to_row()["f"] is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://example.com", True),
        ("http://example.com/INDEX.HTM", True),
        ("https://example.com/default.aspx", True),
        ("http://example.com/?q=1", False),
        ("http://example.com/shop/", False),
        ("http://[broken", False),
        ("nonsense", False),
    ],
)
def test_home_pages_are_recognised(url, expected):
    """A home page has no query and an empty path, `/` or an index page."""
    assert expected == is_home_page(url)
