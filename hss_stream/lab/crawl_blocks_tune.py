"""Markup blocks of the half that thresholds are chosen on: tables, floats, forums, microdata."""

import random

from hss_stream.lab.crawl_content import Content, Toolbox, anchors
from hss_stream.lab.crawl_pen import Pen


def head_plain(p: Pen, c: Content, r: random.Random) -> str:
    """Return a short head: title and one style sheet."""
    return f"<html><head><title>{c.title}</title>{p('link', 'sheet', r, 'rel=stylesheet href=/s.css')}</head><body>"


def head_blog(p: Pen, c: Content, r: random.Random) -> str:
    """Return the head of a weblog: doctype, charset, feeds, description."""
    feeds = "".join(
        p(
            "link",
            f"feed{n}",
            r,
            f'rel="alternate" type="application/rss+xml" href="http://{c.site}/feed/{n}/"',
        )
        for n in range(3)
    )
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{c.title} | {c.site}</title>'
        f"{p('meta', 'description', r, 'name=description')}{feeds}</head>{p('body', 'page', r)}"
    )


def head_strict(p: Pen, c: Content, r: random.Random) -> str:
    """Return an XHTML head with a generator and self-closing tags."""
    return (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"><html xmlns="http://www.w3.org/1999/xhtml">'
        f'<head><meta http-equiv="Content-Type" content="text/html; charset=utf-8" /><title>{c.title}</title>'
        f'{p("meta", "robots", r)}<link rel="shortcut icon" href="/favicon.ico" /></head>{p("body", "top", r)}'
    )


def menu_list(p: Pen, c: Content, r: random.Random) -> str:
    """Return the menu as a list in a division."""
    items = "".join(f"{p('li', 'item', r)}{anchors(p, (link,), 'menu', r)}</li>" for link in c.menu)
    return f"{p('div', 'header', r)}<h1>{c.site}</h1>{p('ul', 'nav', r)}{items}</ul></div>"


def menu_row(p: Pen, c: Content, r: random.Random) -> str:
    """Return the menu as one table row."""
    cells = "".join(f"{p('td', 'cell', r)}<b>{anchors(p, (link,), 'menu', r)}</b></td>" for link in c.menu)
    return f'{p("table", "bar", r)}<tr>{p("td", "logo", r)}<img src="/i/logo.gif" alt=""></td>{cells}</tr></table>'


def menu_tabs(p: Pen, c: Content, r: random.Random) -> str:
    """Return the menu as tabs of spans."""
    tabs = "".join(
        f"{p('span', 'tab', r)}<em>{anchors(p, (link,), 'tablink', r)}</em></span> | " for link in c.menu
    )
    return f'{p("div", "tabs", r)}{p("form", "search", r)}<input type="text" name="q" /></form>{tabs}</div>'


def body_posts(p: Pen, c: Content, r: random.Random) -> str:
    """Return paragraphs as posts with a line of details and comments."""
    posts = "".join(
        f"{p('div', 'post', r)}<h2>{anchors(p, ((f'/{n}/', c.title),), 'permalink', r)}</h2>"
        f"{p('div', 'entry', r)}<p>{text}</p></div>{p('p', 'meta', r)}{c.date} {p('span', 'author', r)}{c.author}"
        f"</span> {anchors(p, ((f'/{n}/#comments', 'comments'),), 'comments', r)}</p></div>"
        for n, text in enumerate(c.paragraphs)
    )
    return f"{p('div', 'content', r)}{posts}{_link_list(p, c, r)}</div>"


def body_cells(p: Pen, c: Content, r: random.Random) -> str:
    """Return paragraphs in cells with pictures."""
    rows = "".join(
        f'<tr>{p("td", "picture", r)}{p("img", "photo", r, f"""src="/img/{n}.jpg" """)}</td>'
        f'{p("td", "text", r)}<font face="Arial">{text}</font><br></td></tr>'
        for n, text in enumerate(c.paragraphs)
    )
    return f"{p('table', 'main', r)}<tr><td colspan=2><h2>{c.title}</h2></td></tr>{rows}</table>{_link_list(p, c, r)}"


def body_article(p: Pen, c: Content, r: random.Random) -> str:
    """Return an article with quotations, byline and a figure."""
    parts = []
    for n, text in enumerate(c.paragraphs):
        parts.append(f"{p('blockquote', 'quote', r)}{text}</blockquote>" if n % 4 == 3 else f"<p>{text}</p>")
        if n == 1:
            caption = f"{p('figcaption', 'caption', r)}{c.title}</figcaption>"
            parts.append(
                f"{p('figure', 'figure', r)}{p('img', 'image', r, 'src=/i.png alt=x')}{caption}</figure>"
            )
    return (
        f"{p('article', 'article', r)}{p('h1', 'headline', r)}{c.title}</h1>{p('time', 'published', r)}{c.date}</time>"
        f"{p('div', 'body', r)}{''.join(parts)}</div>{_link_list(p, c, r)}</article>"
    )


def body_thread(p: Pen, c: Content, r: random.Random) -> str:
    """Return paragraphs as replies of a forum."""
    replies = "".join(
        f"{p('table', 'reply', r)}<tr>{p('td', 'poster', r)}<b>{c.author}</b><br />{p('span', 'rank', r)}member</span>"
        f"</td>{p('td', 'message', r)}{p('span', 'posted', r)}{c.date}</span><hr />{text}"
        f"{p('div', 'buttons', r)}{anchors(p, ((f'post.php?q={n}&amp;r=1', 'quote'), ('u.php', 'profile')), 'button', r)}"
        "</div></td></tr></table>"
        for n, text in enumerate(c.paragraphs)
    )
    return f"{p('div', 'thread', r)}<h3>{c.title}</h3>{replies}</div>{_link_list(p, c, r)}"


def body_plain(p: Pen, c: Content, r: random.Random) -> str:
    """Return a hand-written page: headings, paragraphs, rules."""
    text = "<hr>".join(f"{p('p', 'para', r)}{text}" for text in c.paragraphs)
    return f"<center><h2>{c.title}</h2></center>{text}{_link_list(p, c, r)}"


def manual_members(p: Pen, c: Content, r: random.Random) -> str:
    """Return a reference page: a table of members, then their details."""
    rows = "".join(
        f"{p('tr', 'memitem', r)}{p('td', 'memleft', r)}int&#160;</td>{p('td', 'memright', r)}"
        f"{anchors(p, ((f'#a{name}', name),), 'el', r)} (int x, char *{name})</td></tr>"
        for name in c.code
    )
    details = "".join(
        f'<a id="a{name}"></a>{p("h2", "memtitle", r)}{p("span", "permalink", r)}<a href="#a{name}">&#9670;</a></span>'
        f"{name}()</h2>{p('div', 'memdoc', r)}<p>{text}</p></div>"
        for name, text in zip(c.code, c.paragraphs, strict=False)
    )
    return f"{p('div', 'contents', r)}{p('table', 'memberdecls', r)}{rows}</table>{details}</div>"


def manual_sections(p: Pen, c: Content, r: random.Random) -> str:
    """Return a chapter: numbered sections with previous, up and next."""
    steps = anchors(p, (("i1.html", "Prev"), ("index.html", "Up"), ("i3.html", "Next")), "step", r)
    parts = "".join(
        f"{p('div', 'sect', r)}{p('h3', 'title', r)}{n}.{text.split()[0]}</h3><p>{text}</p>"
        f"{p('pre', 'listing', r)}{' '.join(c.code[:3])}</pre></div>"
        for n, text in enumerate(c.paragraphs, 1)
    )
    return f"{p('div', 'navheader', r)}{steps}</div>{p('div', 'chapter', r)}{parts}</div><hr />{steps}"


def aside_calendar(p: Pen, c: Content, r: random.Random) -> str:
    """Return a calendar of the month."""
    days = "".join(f"<tr>{''.join(f'<td>{d}</td>' for d in range(w, w + 7))}</tr>" for w in range(1, 29, 7))
    return f"{p('div', 'calendar', r)}{p('table', 'month', r)}<caption>{c.date}</caption>{days}</table></div>"


def aside_tags(p: Pen, c: Content, r: random.Random) -> str:
    """Return a cloud of tags."""
    words = c.title.split()
    return (
        f"{p('div', 'tags', r)}{anchors(p, tuple((f'/tag/{w.lower()}', w) for w in words), 'tag', r)}</div>"
    )


def aside_poll(p: Pen, c: Content, r: random.Random) -> str:
    """Return a small form."""
    options = "".join(f"<label>{p('input', 'vote', r, 'type=radio')}{w}</label>" for w in c.title.split()[:3])
    return f"{p('form', 'poll', r, 'method=post')}{options}{p('input', 'send', r, 'type=submit')}</form>"


def foot_line(p: Pen, c: Content, r: random.Random) -> str:
    """Return one line at the end."""
    return f"{p('div', 'footer', r)}<p>&copy; {c.site}</p></div></body></html>"


def foot_columns(p: Pen, c: Content, r: random.Random) -> str:
    """Return columns of links at the end."""
    columns = "".join(
        f"{p('dl', 'column', r)}<dt>{text}</dt><dd>{anchors(p, ((href, text),), 'foot', r)}</dd></dl>"
        for href, text in c.menu[:4]
    )
    return f"{p('div', 'bottom', r)}{columns}</div>{p('script', 'counter', r, 'src=/c.js')}</script></body></html>"


def foot_old(p: Pen, c: Content, r: random.Random) -> str:
    """Return an address and the date of the last change."""
    return f"<hr noshade><address>{anchors(p, (('mailto:me@' + c.site, c.author),), 'mail', r)}</address><i>{c.date}</i>"


def _link_list(p: Pen, c: Content, r: random.Random) -> str:
    """Return the out-links as a list; nothing where there are none."""
    if not c.links:
        return ""
    items = "".join(f"{p('li', 'outlink', r)}{anchors(p, (link,), 'out', r)}</li>" for link in c.links)
    return f"{p('ul', 'links', r)}{items}</ul>"


TOOLBOX = Toolbox(
    heads=(head_plain, head_blog, head_strict),
    menus=(menu_list, menu_row, menu_tabs),
    bodies=(body_posts, body_cells, body_article, body_thread, body_plain),
    manuals=(manual_members, manual_sections),
    asides=(aside_calendar, aside_tags, aside_poll),
    feet=(foot_line, foot_columns, foot_old),
)
