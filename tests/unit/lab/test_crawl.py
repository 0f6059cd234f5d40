"""The generated crawl keeps its promises: same seed, same bytes; halves that share nothing; honest truth."""

import itertools
import json
import random
import re
from collections import Counter, defaultdict

import pytest

from hss_stream.lab.crawl import KINDS, generate_crawl, plan_groups
from hss_stream.lab.crawl_design import TOOLBOXES
from hss_stream.lab.crawl_fake import own_corpus, text_makers
from hss_stream.lab.crawl_hard import DEFAULTS, EMPTIES, LICENCES
from hss_stream.lab.crawl_pen import SCHOOLS
from hss_stream.lab.crawl_prose import TOPICS
from hss_stream.sources.records import open_source

PAGES = 2000


@pytest.fixture(scope="module")
def crawl():
    """Return a small crawl of the half that figures come from."""
    return list(generate_crawl(seed=11, pages=PAGES))


def test_crawl_is_deterministic(crawl):
    """The same seed gives the same pages, byte by byte."""
    assert crawl[:300] == list(itertools.islice(generate_crawl(seed=11, pages=PAGES), 300))


def test_seeds_differ(crawl):
    """Another seed makes other sites and other farms."""
    other = list(generate_crawl(seed=12, pages=300))

    assert not {page.domain for page in other} & {page.domain for page in crawl}


def test_huge_crawl_begins_at_once():
    """A crawl of any length is planned window by window: its first pages cost no more than a small one's."""
    huge = list(itertools.islice(generate_crawl(seed=1, pages=10**12), 5))

    assert 5 == len(huge)


def test_windows_have_groups_of_their_own():
    """The groups of two windows share no domain."""
    first = plan_groups(seed=1, pages=500, half="report", first=0)
    second = plan_groups(seed=1, pages=500, half="report", first=len(first))
    domains = [{group.page(0).domain for group in groups} for groups in (first, second)]

    assert not domains[0] & domains[1]


@pytest.mark.parametrize(
    "sets",
    [
        {half: set(itertools.chain(*TOPICS[half].values())) for half in TOPICS},
        {half: set(SCHOOLS[half]) for half in SCHOOLS},
        {half: set(DEFAULTS[half]) | set(EMPTIES[half]) | {LICENCES[half]} for half in DEFAULTS},
        {half: set(own_corpus(half)) for half in TOPICS},
        {
            half: {block for field in box.__slots__ for block in getattr(box, field)}
            for half, box in TOOLBOXES.items()
        },
    ],
    ids=["topics", "schools of tags", "fixed pages", "corpus", "blocks"],
)
def test_halves_share_nothing(sets):
    """What a threshold was chosen on is nowhere in the half its figures come from."""
    assert sets["tune"]
    assert sets["report"]
    assert not sets["tune"] & sets["report"]


def test_makers_differ_by_half():
    """The halves have text makers of their own even for the same corpus."""
    corpus = own_corpus("tune")
    written = {
        half: {name: maker(random.Random(1), 50) for name, maker in text_makers(half, corpus).items()}
        for half in ("tune", "report")
    }

    assert all(written["tune"][name] != written["report"][name] for name in written["tune"])


def test_every_kind_appears(crawl):
    """A small crawl has pages of every kind, with one truth a kind."""
    truths = defaultdict(set)
    for page in crawl:
        truths[page.kind].add(page.truth)

    assert set(KINDS) - {"hoster"} | {"hoster_clean", "hoster_farm"} == set(truths)
    assert all(len(found) == 1 for found in truths.values())


def test_hard_negatives_are_many(crawl):
    """At least three pages of ten are honest pages that look like spam, broken or empty."""
    hard = {kind for kind, entry in KINDS.items() if entry.hard} | {"hoster_clean"}

    assert sum(page.kind in hard for page in crawl) >= 0.3 * len(crawl)


def test_domains_belong_to_one_truth(crawl):
    """No domain is both honest and spam."""
    truths = defaultdict(set)
    for page in crawl:
        truths[page.domain].add(page.truth)

    assert {1} == {len(found) for found in truths.values()}


def test_theme_spreads_over_honest_domains():
    """In a crawl of 5,000 pages one theme is used by at least 200 honest domains."""
    groups = plan_groups(seed=5, pages=5000, half="report")
    theme = max((g for g in groups if g.kind == "shared_theme"), key=lambda group: group.plot.size)
    domains = {theme.page(index).domain for index in range(theme.plot.size)}

    assert len(domains) >= 200


def test_farms_link_to_themselves():
    """Most links out of a farm's page lead to the farm, and no two of its pages are written alike."""
    groups = plan_groups(seed=5, pages=20_000, half="report")
    farm = next(group for group in groups if group.kind == "farm_copied")
    pages = [farm.page(index) for index in range(farm.plot.size)]
    domains = {page.domain for page in pages}
    links = [re.findall(r'href="http://([^/]+)/"', page.body.decode()) for page in pages[:20]]

    assert len(domains) >= 200
    assert all(sum(link in domains for link in found) >= 0.8 * len(found) for found in links)
    assert len(pages) == len({re.sub(rb"[^<>=\"' /-]", b"", page.body) for page in pages})


def test_mirror_differs_by_a_line():
    """A mirrored page is the same on every domain up to the line that names the mirror."""
    mirror = next(g for g in plan_groups(seed=5, pages=5000, half="report") if g.kind == "mirror")
    first, second = mirror.page(0), mirror.page(1)

    assert first.domain != second.domain
    assert first.body.rsplit(b"<p>", 1)[0] == second.body.rsplit(b"<p>", 1)[0]


def test_pages_go_through_jsonl(crawl, tmp_path):
    """A crawl written as JSONL is read back as the same pages."""
    file = tmp_path / "crawl.jsonl"
    file.write_text("".join(json.dumps(page.to_json()) + "\n" for page in crawl[:200]))
    read = list(open_source(str(file)))

    assert [(p.url, p.body, p.truth, p.status, p.nameservers, p.fetched_at) for p in crawl[:200]] == [
        (r.url, r.body, r.truth, r.status, r.nameservers, r.fetched_at) for r in read
    ]


def test_kinds_can_be_chosen():
    """A crawl of one kind has nothing else."""
    kinds = Counter(page.kind for page in generate_crawl(seed=2, pages=200, kinds=("listing",)))

    assert {"listing": 200} == kinds


def test_real_pages_are_mixed_in(tmp_path):
    """With a folder of real pages a third of the spam and half of the negatives come from it."""
    for folder in ("pages-doorway/pages", "pages-debian-docs/p", "pages-web/w"):
        (tmp_path / folder).mkdir(parents=True)
        for number in range(8):
            (tmp_path / folder / f"{number}.html").write_text(f"<p>{folder} {number}</p>")
    pages = list(generate_crawl(seed=2, pages=1000, real=tmp_path))
    spam = [page for page in pages if page.truth == "spam" and not page.kind.startswith("hoster")]
    clean = [page for page in pages if page.truth == "clean"]

    assert sum(page.kind == "real_doorway" for page in spam) >= len(spam) // 3
    assert sum(page.kind.startswith("real_") for page in clean) >= len(clean) // 2


def test_real_halves_share_no_file(tmp_path):
    """A real page that tuned a threshold is never reported on."""
    for number in range(50):
        (tmp_path / "pages-web" / str(number)).mkdir(parents=True)
        (tmp_path / "pages-web" / str(number) / "a.html").write_text(f"<p>{number}</p>")
    for folder in ("pages-doorway/pages", "pages-debian-docs"):
        (tmp_path / folder).mkdir(parents=True)
        for number in range(9):
            (tmp_path / folder / f"{number}.html").write_text(f"<p>{folder}{number}</p>")
    bodies = {
        half: {
            p.body
            for p in generate_crawl(seed=2, pages=800, half=half, real=tmp_path)
            if p.kind[:4] == "real"
        }
        for half in ("tune", "report")
    }

    assert bodies["tune"]
    assert not bodies["tune"] & bodies["report"]
