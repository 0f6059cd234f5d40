"""Hard negatives: honest pages that look machine-made, empty, copied or broken."""

import random

from hss_stream.lab.crawl_content import Content
from hss_stream.lab.crawl_design import make_design
from hss_stream.lab.crawl_honest import honest_links, natural_page, page_path, site_content
from hss_stream.lab.crawl_lexicon import COMPUTERS, TOWNS
from hss_stream.lab.crawl_page import CrawlPage, Plot
from hss_stream.lab.crawl_prose import Half

LICENCES: dict[Half, str] = {
    "tune": """You may use, copy and pass on this work, changed or unchanged, for any purpose, as long as this notice
stays with every copy. The authors give the work as it is. They promise nothing about its fitness for a purpose,
and nobody who wrote or passed on the work answers for a loss that comes from using it, even if the loss could have
been foreseen. If you change the work, say so where a reader will find it, and do not use the names of the authors
to recommend what you made. A person who receives the work from you has the same rights as you have, and you may not
take them away by a contract. If a court finds that one of these terms does not hold, the others go on to hold.
You lose these rights if you go to court against a user of the work over what the work itself does.""",
    "report": """Permission to read, print and keep a copy of these pages is given to every visitor without charge.
Copies for a class or a club are allowed when the source is named on the first sheet. Selling copies needs a letter
from the owner, who will answer within four weeks. Pictures belong to the people named below them and are not part of
this permission. The owner has taken care that the pages are correct, but mistakes happen, and a reader who acts on
them does so at his or her own risk. Links to these pages are welcome from anywhere, and no letter is needed for that.
The owner may end this permission for the future by changing this text; copies made before that day stay lawful.""",
}
DEFAULTS: dict[Half, tuple[str, ...]] = {
    "tune": (
        ("<html><head><title>Test page</title></head><body><h1>It is running!</h1><p>This is the default page of"
        " the web server on this machine.</p><p>The software is running but no content has been added yet.</p></body></html>"),
        ('<!DOCTYPE html><html><head><title>Welcome</title><style>body{width:35em}</style></head><body><h1>Welcome!</h1>'
        '<p>If you see this page, the web server is installed and working. Further configuration is required.</p>'
        '<p>For documentation see <a href="http://server.example.org/">the manual</a>.</p></body></html>'),
    ),
    "report": (
        ('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Site under way</title></head><body>'
        '<div id="box"><img src="/icons/server.png" alt="" /><h2>Your account is ready</h2><ul><li>Upload your files</li>'
        "<li>Remove this file</li></ul><p>Questions? Ask the help desk of your hoster.</p></div></body></html>"),
        ("<html><body bgcolor=white text=black><table width=100% height=80%><tr><td align=center><font size=6>"
        "New domain</font><br>There is nothing here yet. Please come back later.</td></tr></table></body></html>"),
    ),
}  # fmt: skip
EMPTIES: dict[Half, tuple[str, ...]] = {
    "tune": (
        "<html><body></body></html>",
        "<html><body><h1>Under construction</h1></body></html>",
        "ok",
        "<p>Hello</p>",
    ),
    "report": (
        "<!doctype html><title>-</title>",
        "<html><head></head><body>soon</body></html>",
        "1",
        "<br><br>",
    ),
}


def near_empty_page(plot: Plot, index: int) -> CrawlPage:
    """Return a page with next to nothing on it."""
    body = EMPTIES[plot.half][index % len(EMPTIES[plot.half])]
    return _clean(plot, index, "near_empty", body.encode(), path="/")


def default_page(plot: Plot, index: int) -> CrawlPage:
    """Return the page a fresh server shows, the same on every domain."""
    body = DEFAULTS[plot.half][plot.number % len(DEFAULTS[plot.half])]
    return _clean(plot, index, "default_page", body.encode(), path="/")


def listing_page(plot: Plot, index: int) -> CrawlPage:
    """Return a directory listing of a server."""
    chance = plot.chance("page", index)
    names = [
        f"{chance.choice(COMPUTERS)}-{chance.randint(1, 99)}.{chance.choice(('tar.gz', 'zip', 'txt'))}"
        for _ in range(chance.randint(6, 60))
    ]
    path = f"/pub/{chance.choice(COMPUTERS).replace(' ', '')}/{chance.randint(1, 99)}/"
    write = _listing_pre if plot.half == "tune" else _listing_table
    return _clean(
        plot, index // 2, "listing", write(path, names, chance).encode(), path=path, truth_class="template"
    )


def _listing_pre(path: str, names: list[str], chance: random.Random) -> str:
    """Return a listing as preformatted lines."""
    lines = "\n".join(
        f'<img src="/icons/compressed.gif" alt="[   ]"> <a href="{name}">{name}</a>  {chance.randint(1, 28):02d}-May-2011 09:1'
        f"{chance.randint(0, 9)}  {chance.randint(1, 900)}K  "
        for name in names
    )
    return (
        f'<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">\n<html>\n <head>\n  <title>Index of {path}</title>\n </head>'
        f'\n <body>\n<h1>Index of {path}</h1>\n<pre><img src="/icons/blank.gif" alt="Icon "> <a href="?C=N;O=D">Name</a> '
        f'<a href="?C=M;O=A">Last modified</a> <a href="?C=S;O=A">Size</a><hr>{lines}\n<hr></pre>\n</body></html>\n'
    )


def _listing_table(path: str, names: list[str], chance: random.Random) -> str:
    """Return a listing as a table."""
    rows = "".join(
        f'<tr><td class="link"><a href="{name}" title="{name}">{name}</a></td><td class="size">{chance.randint(1, 900)} KiB</td>'
        f'<td class="date">2019-Mar-{chance.randint(1, 28):02d} 11:0{chance.randint(0, 9)}</td></tr>\n'
        for name in names
    )
    return (
        f'<!DOCTYPE html><html><head><meta name="viewport" content="width=device-width"/><title>Index of {path}</title></head>'
        f'<body><h1>Index of {path}</h1><table id="list"><thead><tr><th style="width:55%"><a href="?C=N&amp;O=A">File Name</a>'
        f'&nbsp;<a href="?C=N&amp;O=D">&nbsp;&darr;&nbsp;</a></th><th style="width:20%">Size</th></tr></thead>\n<tbody>{rows}'
        "</tbody></table></body></html>"
    )


def code_page(plot: Plot, index: int) -> CrawlPage:
    """Return a page of lists and code on a site of its own: words in no order a model of prose knows."""
    chance = plot.chance("page", index)
    names = [f"{chance.choice(COMPUTERS)}_{chance.randint(1, 99)}".replace(" ", "_") for _ in range(60)]
    code = "\n".join(
        f"    {a} = {b}[{n}] + {a}.{b}({n})"
        for n, (a, b) in enumerate(zip(names, reversed(names), strict=True))
    )
    rows = "".join(
        f"<tr><td>{town}</td><td>{chance.randint(1, 999)}</td></tr>" for town in chance.sample(TOWNS, 20)
    )
    content = site_content(plot, index, 1, chance, links=honest_links(plot, chance, 3))
    short = Content(
        content.site, content.title, content.paragraphs[:1], content.menu, content.links, code=content.code
    )
    design = make_design(plot.half, f"{plot.name}/code/{index}")
    body = design.render(short, chance) + f"<pre>\n{code}\n</pre><table>{rows}</table>".encode()
    return _clean(plot, index, "code", body, path=page_path(1, chance), truth_class="unsettled")


def licence_page(plot: Plot, index: int) -> CrawlPage:
    """Return a site's own page that ends in a licence text everybody copied."""
    chance = plot.chance("page", index)
    content = site_content(plot, index, 2, chance, links=())
    short = Content(content.site, content.title, content.paragraphs[:1], content.menu, author=content.author)
    design = make_design(plot.half, f"{plot.name}/licence/{index}")
    body = design.render(short, chance) + f"<pre>{LICENCES[plot.half]}</pre>".encode()
    return _clean(plot, index, "licence", body, path="/licence.html", truth_class="unsettled")


def broken_page(plot: Plot, index: int) -> CrawlPage:
    """Return a page that is cut, garbled, empty or an error."""
    chance = plot.chance("page", index)
    whole = natural_page(plot, index)
    way = index % 4
    body = (whole.body[: len(whole.body) // 3], chance.randbytes(3000), b"", b"<h1>Not Found</h1>")[way]
    return _clean(plot, index, "broken", body, path=f"/b/{index}", status=404 if way == 3 else 200)


def _clean(
    plot: Plot,
    site: int,
    kind: str,
    body: bytes,
    *,
    path: str,
    truth_class: str | None = None,
    status: int = 200,
) -> CrawlPage:
    """Return an honest page on its own domain."""
    domain = plot.domain(site)
    return CrawlPage(
        f"http://{domain}{path}", body, kind, "clean",
        truth_class,  # type: ignore[arg-type]  # one of the five or None, by the callers above
        domain, plot.name, plot.hoster(site), status,
    )  # fmt: skip
