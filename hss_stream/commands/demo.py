"""`hss-stream demo`: what the program does, shown on material it generates itself.

No Kafka, no Redis, no network: a small web is generated, its pages are clustered by style, and two pairs of
pages are compared the way `hss-stream compare` does it.
"""

from collections import defaultdict

import click
import numpy as np

from hss_stream.commands.output import print_table
from hss_stream.lab.crawl import generate_crawl
from hss_stream.lab.crawl_page import CrawlPage
from hss_stream.lab.style_clusters import cluster_styles
from hss_stream.signals.page_scan import PageScan, scan_page
from hss_stream.signals.style_sketch import SLOTS
from hss_stream.steps.compare_pages import structure_comparison, style_comparison
from hss_stream.verdicts.style_match import matching_slots_many, sketch_rows

PAGES = 1500
SHOWN_CLUSTERS = 12


@click.command()
@click.option("--pages", type=click.IntRange(50), default=PAGES, show_default=True, help="Pages to generate.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the generated web.")
def command(pages: int, seed: int) -> None:
    """See what it does, on pages it generates."""
    click.echo(
        f"Generating {pages:,} pages: farms, doorways, parked domains, and honest sites among them …\n"
    )
    crawl = list(generate_crawl(seed=seed, pages=pages))
    scans = [scan_page(page.body, page.content_type) for page in crawl]
    sketches = b"".join(scan.style.to_bytes() for scan in scans)
    groups = defaultdict(list)
    for place, cluster in enumerate(cluster_styles(sketch_rows(sketches), 0).tolist()):
        groups[cluster].append(place)
    clusters = [places for places in groups.values() if len(places) > 1]
    show_clusters(crawl, sketches, clusters)
    farm = max(clusters, key=lambda places: sum(crawl[place].kind == "farm_fake" for place in places))
    stranger = next(place for place, page in enumerate(crawl) if page.kind == "natural")
    show_pairs(crawl, scans, (farm[0], farm[1]), (farm[0], stranger))
    click.echo(
        "Two pages of one farm share no sentence, yet were made by one hand: that is what the sketch sees.\n"
        "Honest themes cluster too; many domains of one style are a question, not a verdict.\n"
        "Go on with: hss-stream score FILE…, hss-stream compare A B, hss-stream similar PAGE SOURCE…"
    )


def show_clusters(crawl: list[CrawlPage], sketches: bytes, clusters: list[list[int]]) -> None:
    """Print the clusters as table 1 of the 2006 paper does: by mean similarity x domains."""
    rows = []
    for places in clusters:
        own = sketch_rows(b"".join(sketches[2 * SLOTS * place :][: 2 * SLOTS] for place in places))
        similarity = float(np.mean(matching_slots_many(own[0].tobytes(), own)) / SLOTS)
        domains = len({crawl[place].domain for place in places})
        kinds = ", ".join(sorted({crawl[place].kind for place in places}))
        rows.append((len(places), domains, similarity, crawl[places[0]].url, kinds))
    rows.sort(key=lambda row: (-row[1] * row[2], row[3]))
    title = f"{len(rows)} clusters by style, sorted by mean similarity x domains; the first {SHOWN_CLUSTERS}"
    columns = ("pages ", "domains ", "similarity ", "first page", "generated as")
    print_table(title, columns, rows[:SHOWN_CLUSTERS])


def show_pairs(crawl: list[CrawlPage], scans: list[PageScan], *pairs: tuple[int, int]) -> None:
    """Print how near the pages of each pair are, by style and by structure."""
    rows = []
    for one, other in pairs:
        style = style_comparison(scans[one], scans[other])
        structure = structure_comparison(scans[one], scans[other])
        names = f"{crawl[one].url}\n{crawl[other].url}"
        rows.append((names, f"{style['matching_slots']} of {SLOTS}", style["same"], structure["d"]))
    print_table("Two pages of one farm, and a farm's page beside an honest one",
                ("pages", "matching slots ", "one hand", "tag distance D "), rows)  # fmt: skip
